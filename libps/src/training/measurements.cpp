#include "ps/training/measurements.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>

#include "core/collectives.hpp"

namespace ps {
namespace {

constexpr std::uint64_t kLastSlot = 65'535; // an unbounded lead of a fast worker must not fill the memory

void gather_histogram(const core::Communicator& comm, Histogram& histogram) {
  const std::size_t length = core::all_reduce_value(comm, histogram.slots().size(), core::Reduce::max);
  std::vector<std::uint64_t> slots = histogram.slots();
  slots.resize(length);
  core::all_reduce(comm, std::span(slots), core::Reduce::sum);
  histogram = Histogram();
  for (std::size_t value = 0; value < length; ++value) histogram.add(value, slots[value]);
}

} // namespace

void Histogram::add(std::uint64_t value, std::uint64_t times) {
  if (times == 0) return;
  const std::size_t slot = std::min(value, kLastSlot);
  if (slot >= slots_.size()) slots_.resize(slot + 1);
  slots_[slot] += times;
}

std::uint64_t Histogram::count() const noexcept {
  return std::accumulate(slots_.begin(), slots_.end(), std::uint64_t{0});
}

double Histogram::mean() const noexcept {
  double sum = 0;
  for (std::size_t value = 0; value < slots_.size(); ++value)
    sum += static_cast<double>(value) * static_cast<double>(slots_[value]);
  return slots_.empty() ? 0 : sum / static_cast<double>(count());
}

void Histogram::merge(const Histogram& other) {
  for (std::size_t value = 0; value < other.slots_.size(); ++value) add(value, other.slots_[value]);
}

nlohmann::json Histogram::to_json() const {
  return {{"mean", mean()}, {"max", max()}, {"histogram", slots_}};
}

Histogram Histogram::from_json(const nlohmann::json& json) {
  Histogram histogram;
  const auto slots = json.at("histogram").get<std::vector<std::uint64_t>>();
  for (std::size_t value = 0; value < slots.size(); ++value) histogram.add(value, slots[value]);
  return histogram;
}

void Measurements::add(const Measurements& other) {
  clock_lead.merge(other.clock_lead);
  version_staleness.merge(other.version_staleness);
  for (std::size_t worker = 0; worker < wait_seconds.size(); ++worker)
    wait_seconds[worker] += other.wait_seconds.at(worker);
  gradients += other.gradients;
  messages += other.messages;
  bytes_pushed += other.bytes_pushed;
  bytes_pulled += other.bytes_pulled;
}

nlohmann::json Measurements::to_json() const {
  return {{"gradients", gradients},
          {"messages", messages},
          {"bytes_pushed", bytes_pushed},
          {"bytes_pulled", bytes_pulled},
          {"clock_lead", clock_lead.to_json()},
          {"version_staleness", version_staleness.to_json()},
          {"wait_seconds", std::accumulate(wait_seconds.begin(), wait_seconds.end(), 0.0)},
          {"wait_seconds_by_worker", wait_seconds}};
}

Measurements Measurements::from_json(const nlohmann::json& json) {
  Measurements measured(0);
  measured.wait_seconds = json.at("wait_seconds_by_worker").get<std::vector<double>>();
  measured.clock_lead = Histogram::from_json(json.at("clock_lead"));
  measured.version_staleness = Histogram::from_json(json.at("version_staleness"));
  json.at("gradients").get_to(measured.gradients);
  json.at("messages").get_to(measured.messages);
  json.at("bytes_pushed").get_to(measured.bytes_pushed);
  json.at("bytes_pulled").get_to(measured.bytes_pulled);
  return measured;
}

Measurements gather(const core::Communicator& comm, const Measurements& mine) {
  Measurements all = mine;
  gather_histogram(comm, all.clock_lead);
  gather_histogram(comm, all.version_staleness);
  core::all_reduce(comm, std::span(all.wait_seconds), core::Reduce::sum);
  std::array<std::uint64_t, 4> counts{mine.gradients, mine.messages, mine.bytes_pushed, mine.bytes_pulled};
  core::all_reduce(comm, std::span<std::uint64_t>(counts), core::Reduce::sum);
  all.gradients = counts[0];
  all.messages = counts[1];
  all.bytes_pushed = counts[2];
  all.bytes_pulled = counts[3];
  return all;
}

} // namespace ps
