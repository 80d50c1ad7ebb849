// Sparse tables: the messages between those who ask and the servers.
//
// A request is a vector of 64-bit words: first what it is and how many keys it names, then the keys, then (a push) the
// gradients. The answer to a pull is the values in the order asked; to a push, an empty message. Messages between two
// ranks arrive in the order in which they were sent and a server answers in the order of arrival, so answers need no
// numbers: receives posted in the order of the requests meet them. All receives are posted before the first request
// leaves.
//
// A rank's requests to itself are function calls.
#include "ps/table/sparse_table.hpp"

#include <bit>
#include <cstring>
#include <deque>
#include <exception>
#include <utility>

#include <fmt/format.h>
#include <mpi.h>

#include "core/agreement.hpp"
#include "core/collectives.hpp"
#include "core/log.hpp"
#include "core/patience.hpp"
#include "core/progress.hpp"
#include "core/request.hpp"
#include "ps/error.hpp"
#include "ps/table/key_map.hpp"
#include "servers.hpp"
#include "sparse_rows.hpp"

namespace ps {
namespace {

constexpr const char* kWhat = "a sparse table";
constexpr int kRequestTag = 1, kAnswerTag = 2;
constexpr std::size_t kLongestMessage = std::size_t{1} << 17; // words: 1 MiB
constexpr std::size_t kMostWidth = std::size_t{1} << 24;      // one key must fit into one message
constexpr std::size_t kAnswersPerCall = 64;                   // the server may have other things to do
constexpr std::chrono::microseconds kLongestPause{100};

using Words = std::vector<std::uint64_t>;

/// The first word of a request.
struct Header {
  bool is_push;
  std::size_t keys;

  [[nodiscard]] std::uint64_t word() const noexcept {
    return static_cast<std::uint64_t>(keys) << 1 | (is_push ? 1 : 0);
  }
  static Header of(std::uint64_t word) noexcept { return {(word & 1) != 0, static_cast<std::size_t>(word >> 1)}; }
};

template <class T>
std::size_t words_of(std::size_t values) noexcept {
  return (values * sizeof(T) + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t);
}

SparseTableOptions checked(const core::Communicator& comm, SparseTableOptions options) {
  core::agree(comm, [&] {
    if (options.width == 0 || options.width > kMostWidth)
      throw PsError(fmt::format("{} has 1 to {} values a key, not {}", kWhat, kMostWidth, options.width));
  });
  return options;
}

/// What must be the same on all ranks besides the servers.
std::uint64_t fingerprint(const SparseTableOptions& options) {
  std::uint64_t mixed = core::mix64(options.width) ^ core::mix64(~options.largest_key);
  const UpdateOptions& update = options.update;
  for (const char letter : update.rule) mixed = core::mix64(mixed + static_cast<unsigned char>(letter));
  for (const double number :
       {update.learning_rate, update.momentum, update.decay, update.beta1, update.beta2, update.epsilon})
    mixed = core::mix64(mixed ^ std::bit_cast<std::uint64_t>(number));
  return mixed;
}

} // namespace

template <class T>
class SparseTable<T>::Impl {
 public:
  Impl(const core::Communicator& comm, std::vector<int> servers, SparseTableOptions options)
      : comm_(comm.duplicate()),
        options_(checked(comm_, std::move(options))),
        servers_(detail::checked_servers(comm_, kWhat, options_.width, std::move(servers), fingerprint(options_))),
        map_(options_.largest_key, servers_.size()),
        shard_index_(detail::shard_index_of(servers_, comm_.rank())),
        rows_(core::agree(comm_, [&] { return detail::SparseRows<T>(options_.update, options_.width); })) {}

  void pull(std::span<const std::uint64_t> keys, std::span<T> values) { ask(keys, {}, values, false); }
  void push(std::span<const std::uint64_t> keys, std::span<const T> gradients) { ask(keys, gradients, {}, true); }

  std::size_t serve() {
    while (!answers_.empty() && answers_.front().sent.test()) answers_.pop_front();
    std::size_t answered = 0;
    if (!is_server()) return answered;
    while (answered < kAnswersPerCall) {
      const std::optional<core::Arrival> arrival = core::probe<std::uint64_t>(comm_, kRequestTag);
      if (!arrival) break;
      Words request(arrival->count);
      core::start_receive(comm_, std::span<std::uint64_t>(request), arrival->source, kRequestTag).wait();
      answer(arrival->source, request);
      ++answered;
    }
    return answered;
  }

  void barrier() {
    core::Request all_here = core::start_barrier(comm_);
    wait_serving([&] { return all_here.test(); });
  }

  /// Every rank has come to the end: all answers have been received.
  void close() {
    duty = nullptr; // what it works on may be gone
    barrier();
    for (Answer& answer : answers_) answer.sent.wait();
  }

  void restore(const SparseContent<T>& content) {
    rows_.restore(content, [&](std::uint64_t key) {
      require_key(key);
      return map_.server_of(key) == shard_index_;
    });
  }

  std::function<void()> duty;
  [[nodiscard]] const detail::SparseRows<T>& rows() const noexcept { return rows_; }
  [[nodiscard]] const Traffic& traffic() const noexcept { return traffic_; }
  [[nodiscard]] int owner_of(std::uint64_t key) const {
    require_key(key);
    return servers_[map_.server_of(key)];
  }

 private:
  /// One message to one server and its answer.
  struct Exchange {
    Words request;
    std::vector<T> answer;
    std::span<const std::size_t> positions; // of its keys in the call
    core::Request sent, received;
  };
  struct Answer {
    std::vector<T> values;
    core::Request sent;
  };

  [[nodiscard]] bool is_server() const noexcept { return shard_index_ < servers_.size(); }

  void require_key(std::uint64_t key) const {
    if (key > options_.largest_key)
      throw PsError(fmt::format("key {} is above {}, the largest key of the sparse table", key, options_.largest_key));
  }

  void ask(std::span<const std::uint64_t> keys, std::span<const T> gradients, std::span<T> values, bool is_push) {
    const std::size_t elements = is_push ? gradients.size() : values.size();
    if (elements % options_.width != 0 || elements / options_.width != keys.size())
      throw PsError(fmt::format("{} keys of {} values each do not match a span of {} values", keys.size(),
                                options_.width, elements));
    for (const std::uint64_t key : keys) require_key(key);
    const std::vector<std::vector<std::size_t>> by_server = positions_by_server(keys);
    std::vector<Exchange> exchanges = start(by_server, keys, gradients, is_push);
    if (is_server()) ask_myself(by_server[shard_index_], keys, gradients, values, is_push);
    finish(exchanges, values);
    traffic_.bytes_pushed += keys.size_bytes() + gradients.size_bytes();
    traffic_.bytes_pulled += values.size_bytes();
  }

  [[nodiscard]] std::vector<std::vector<std::size_t>> positions_by_server(std::span<const std::uint64_t> keys) {
    std::vector<std::vector<std::size_t>> positions(servers_.size());
    for (std::size_t i = 0; i < keys.size(); ++i) positions[map_.server_of(keys[i])].push_back(i);
    for (const auto& of_server : positions) traffic_.messages += of_server.empty() ? 0 : 1;
    return positions;
  }

  /// Keys that one message, and its answer, may carry.
  [[nodiscard]] std::size_t keys_per_message() const noexcept {
    const std::size_t longest = std::min(core::count_limit(), kLongestMessage);
    const std::size_t words_per_key = 1 + words_of<T>(options_.width);
    return std::max<std::size_t>(1, (longest - 1) / words_per_key);
  }

  std::vector<Exchange> start(const std::vector<std::vector<std::size_t>>& by_server,
                              std::span<const std::uint64_t> keys, std::span<const T> gradients, bool is_push) {
    std::vector<Exchange> exchanges;
    std::vector<int> targets;
    for (std::size_t server = 0; server < servers_.size(); ++server) {
      if (server == shard_index_) continue;
      for (std::span<const std::size_t> rest = by_server[server]; !rest.empty();) {
        const auto now = rest.first(std::min(rest.size(), keys_per_message()));
        rest = rest.subspan(now.size());
        exchanges.push_back({write_request(now, keys, gradients, is_push),
                             std::vector<T>(is_push ? 0 : now.size() * options_.width),
                             now,
                             {},
                             {}});
        targets.push_back(servers_[server]);
      }
    }
    for (std::size_t i = 0; i < exchanges.size(); ++i)
      exchanges[i].received = core::start_receive(comm_, std::span<T>(exchanges[i].answer), targets[i], kAnswerTag);
    for (std::size_t i = 0; i < exchanges.size(); ++i)
      exchanges[i].sent =
          core::start_send(comm_, std::span<const std::uint64_t>(exchanges[i].request), targets[i], kRequestTag);
    return exchanges;
  }

  [[nodiscard]] Words write_request(std::span<const std::size_t> positions, std::span<const std::uint64_t> keys,
                                    std::span<const T> gradients, bool is_push) const {
    const std::size_t width = options_.width;
    Words request{Header{is_push, positions.size()}.word()};
    request.reserve(1 + positions.size() + (is_push ? words_of<T>(positions.size() * width) : 0));
    for (const std::size_t position : positions) request.push_back(keys[position]);
    if (!is_push) return request;
    request.resize(request.capacity());
    auto* to = reinterpret_cast<std::byte*>(request.data() + 1 + positions.size());
    for (const std::size_t position : positions) {
      std::memcpy(to, &gradients[position * width], width * sizeof(T));
      to += width * sizeof(T);
    }
    return request;
  }

  void ask_myself(std::span<const std::size_t> positions, std::span<const std::uint64_t> keys,
                  std::span<const T> gradients, std::span<T> values, bool is_push) {
    const std::size_t width = options_.width;
    for (const std::size_t position : positions) {
      if (is_push)
        rows_.apply(keys[position], gradients.subspan(position * width, width));
      else
        rows_.read(keys[position], values.subspan(position * width, width));
    }
  }

  void finish(std::vector<Exchange>& exchanges, std::span<T> values) {
    std::size_t done = 0;
    wait_serving([&] {
      while (done < exchanges.size() && exchanges[done].received.test()) ++done;
      return done == exchanges.size();
    });
    const std::size_t width = options_.width;
    for (Exchange& exchange : exchanges) {
      exchange.sent.wait(); // at once: it has been answered
      if (exchange.answer.empty()) continue;
      for (std::size_t i = 0; i < exchange.positions.size(); ++i)
        std::copy_n(&exchange.answer[i * width], width, &values[exchange.positions[i] * width]);
    }
  }

  template <class F>
  void wait_serving(F&& done) {
    core::Patience patience(kLongestPause);
    while (!done()) {
      if (duty) duty();
      if (serve() > 0)
        patience.reset();
      else
        patience.pause();
    }
  }

  void answer(int source, const Words& request) {
    const Header header = Header::of(request[0]);
    const std::size_t width = options_.width;
    const std::uint64_t* const keys = request.data() + 1;
    Answer& answer = answers_.emplace_back();
    if (header.is_push) {
      gradients_.resize(header.keys * width);
      std::memcpy(gradients_.data(), keys + header.keys, gradients_.size() * sizeof(T));
      for (std::size_t i = 0; i < header.keys; ++i)
        rows_.apply(keys[i], std::span<const T>(gradients_).subspan(i * width, width));
    } else {
      answer.values.resize(header.keys * width);
      for (std::size_t i = 0; i < header.keys; ++i)
        rows_.read(keys[i], std::span<T>(answer.values).subspan(i * width, width));
    }
    answer.sent = core::start_send(comm_, std::span<const T>(answer.values), source, kAnswerTag);
  }

  core::Communicator comm_; // its own: nobody else's messages come in between
  SparseTableOptions options_;
  std::vector<int> servers_;
  KeyMap map_;
  std::size_t shard_index_;
  detail::SparseRows<T> rows_;
  std::deque<Answer> answers_; // under way
  std::vector<T> gradients_;   // of the request being answered
  Traffic traffic_;
};

template <class T>
SparseTable<T>::SparseTable(const core::Communicator& comm, std::vector<int> servers, SparseTableOptions options)
    : impl_(std::make_unique<Impl>(comm, std::move(servers), std::move(options))),
      exceptions_at_construction_(std::uncaught_exceptions()) {}

template <class T>
SparseTable<T>::~SparseTable() {
  // While an exception is passing the other ranks may never come.
  if (std::uncaught_exceptions() > exceptions_at_construction_) return;
  try {
    impl_->close();
  } catch (const core::Error& error) {
    core::log_error(fmt::format("a sparse table could not be closed: {}", error.what()));
  }
}

template <class T>
void SparseTable<T>::pull(std::span<const std::uint64_t> keys, std::span<T> values) {
  impl_->pull(keys, values);
}
template <class T>
void SparseTable<T>::push(std::span<const std::uint64_t> keys, std::span<const T> gradients) {
  impl_->push(keys, gradients);
}
template <class T>
std::size_t SparseTable<T>::serve() {
  return impl_->serve();
}
template <class T>
void SparseTable<T>::while_waiting(std::function<void()> duty) {
  impl_->duty = std::move(duty);
}
template <class T>
void SparseTable<T>::barrier() {
  impl_->barrier();
}
template <class T>
std::vector<std::uint64_t> SparseTable<T>::keys() const {
  return impl_->rows().keys();
}
template <class T>
std::vector<T> SparseTable<T>::values() const {
  return impl_->rows().content().values;
}
template <class T>
SparseContent<T> SparseTable<T>::content() const {
  return impl_->rows().content();
}
template <class T>
void SparseTable<T>::restore(const SparseContent<T>& content) {
  impl_->restore(content);
}
template <class T>
int SparseTable<T>::owner_of(std::uint64_t key) const {
  return impl_->owner_of(key);
}
template <class T>
const Traffic& SparseTable<T>::traffic() const noexcept {
  return impl_->traffic();
}

template class SparseTable<float>;
template class SparseTable<double>;

} // namespace ps
