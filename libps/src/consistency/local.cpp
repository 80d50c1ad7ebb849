#include "ps/consistency/local.hpp"

namespace ps {

template <class T>
std::size_t Local<T>::index_of(const Runner& runner) const noexcept {
  return static_cast<std::size_t>(&runner - this->runners_.data());
}

template <class T>
void Local<T>::take(Runner& runner, bool last) {
  std::vector<T>& sum = sums_[index_of(runner)];
  if (runner.step == 1) { // the first: not 0 + g, which is another number for g = -0
    sum = runner.gradient;
  } else {
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += runner.gradient[i];
  }
  if (last) return;
  const T rate = static_cast<T>(this->site_.options.update.learning_rate);
  for (std::size_t i = 0; i < sum.size(); ++i) runner.parameters[i] -= rate * runner.gradient[i];
}

template <class T>
std::span<const T> Local<T>::contribution(const Runner& runner) const {
  return sums_[index_of(runner)];
}

template class Local<float>;
template class Local<double>;

} // namespace ps
