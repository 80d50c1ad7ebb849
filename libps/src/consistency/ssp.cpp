#include "ps/consistency/ssp.hpp"

namespace ps {

template <class T>
bool Ssp<T>::may_start(Runner& runner, const Status& /*status*/) {
  const std::uint64_t lead = runner.round - static_cast<std::uint64_t>(this->clocks_.minimum());
  if (lead > this->site_.options.staleness) return false;
  this->record_lead(lead);
  return true;
}

template class Ssp<float>;
template class Ssp<double>;

} // namespace ps
