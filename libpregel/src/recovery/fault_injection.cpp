#include "pregel/recovery/fault_injection.hpp"

#include <algorithm>
#include <charconv>
#include <csignal>
#include <optional>
#include <string>
#include <utility>

#include "core/checkpoint/store.hpp"
#include "core/error.hpp"

namespace pregel {
namespace {

[[noreturn]] void refuse(std::string_view spec, const std::string& reason) {
  throw core::InputError("--inject " + std::string(spec) + ": " + reason);
}

template <class T>
std::optional<T> whole_number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<int> rank_number(std::string_view text) {
  const std::optional<int> rank = whole_number<int>(text);
  return rank && *rank >= 0 ? rank : std::nullopt;
}

std::optional<int> signal_number(std::string_view name) {
  constexpr std::pair<std::string_view, int> kSignals[] = {{"KILL", SIGKILL}, {"STOP", SIGSTOP}, {"TERM", SIGTERM},
                                                           {"USR1", SIGUSR1}, {"INT", SIGINT},   {"SEGV", SIGSEGV},
                                                           {"ABRT", SIGABRT}, {"BUS", SIGBUS},   {"FPE", SIGFPE}};
  if (name.starts_with("SIG")) name.remove_prefix(3);
  for (const auto& [known, number] : kSignals) {
    if (known == name) return number;
  }
  const std::optional<int> number = whole_number<int>(name);
  return number && *number > 0 && *number < NSIG ? number : std::nullopt;
}

std::optional<FaultPlace> place_named(std::string_view name) {
  constexpr std::pair<std::string_view, FaultPlace> kPlaces[] = {{"compute", FaultPlace::compute},
                                                                 {"exchange", FaultPlace::exchange},
                                                                 {"checkpoint", FaultPlace::checkpoint},
                                                                 {"recovery", FaultPlace::recovery}};
  for (const auto& [known, place] : kPlaces) {
    if (known == name) return place;
  }
  return std::nullopt;
}

} // namespace

Fault parse_fault(std::string_view spec) {
  Fault fault;
  std::vector<std::string_view> keys;
  const auto is_given = [&keys](std::string_view key) { return std::ranges::find(keys, key) != keys.end(); };
  for (std::string_view rest = spec; !rest.empty();) {
    const std::string_view item = rest.substr(0, rest.find(','));
    if (item.size() + 1 == rest.size()) refuse(spec, "ends with a comma");
    rest.remove_prefix(std::min(rest.size(), item.size() + 1));
    const std::size_t equals = item.find('=');
    const std::string_view key = item.substr(0, equals);
    const std::string_view value = equals == std::string_view::npos ? std::string_view() : item.substr(equals + 1);
    if (is_given(key)) refuse(spec, std::string(key) + "= is given twice");
    keys.push_back(key);
    const auto require = [&](auto parsed) {
      if (!parsed) refuse(spec, "'" + std::string(item) + "' is not understood");
      return *parsed;
    };
    if (key == "rank") {
      fault.rank = require(rank_number(value));
    } else if (key == "superstep") {
      fault.superstep = require(whole_number<std::uint64_t>(value));
    } else if (key == "signal") {
      fault.signal = require(signal_number(value));
    } else if (key == "where") {
      fault.place = require(place_named(value));
    } else if (key == "write") {
      fault.failing_write = require(whole_number<std::uint64_t>(value));
      if (fault.failing_write == 0) refuse(spec, "writes are counted from 1");
    } else {
      refuse(spec,
             "'" + std::string(item) + "' is not understood; say rank=R,superstep=S[,signal=KILL][,where=compute]");
    }
  }
  if (!is_given("rank")) refuse(spec, "rank=R is missing");
  if (fault.failing_write != 0 && (is_given("signal") || is_given("where") || is_given("superstep")))
    refuse(spec, "write=N goes with rank=R alone");
  if (!is_given("superstep") && fault.failing_write == 0 && fault.place != FaultPlace::recovery)
    refuse(spec, "superstep=S is missing");
  return fault;
}

FaultInjector::FaultInjector(const std::vector<Fault>& faults, int first_rank) {
  for (const Fault& fault : faults) {
    if (fault.rank != first_rank) continue;
    if (fault.failing_write != 0)
      core::checkpoint::fail_write_after(fault.failing_write);
    else
      pending_.push_back(fault);
  }
}

void FaultInjector::pass(FaultPlace place, std::uint64_t superstep) {
  if (pending_.empty()) return;
  const auto due = std::ranges::find_if(pending_, [&](const Fault& fault) {
    return fault.place == place && (place == FaultPlace::recovery || fault.superstep == superstep);
  });
  if (due == pending_.end()) return;
  const int signal = due->signal;
  pending_.erase(due);
  (void)std::raise(signal);
}

} // namespace pregel
