#include "ps/consistency/strategy.hpp"

#include <array>

#include <fmt/format.h>

#include "core/error.hpp"
#include "ps/consistency/all_reduce.hpp"
#include "ps/consistency/async.hpp"
#include "ps/consistency/easgd.hpp"
#include "ps/consistency/gossip.hpp"
#include "ps/consistency/local.hpp"
#include "ps/consistency/sparse_async.hpp"
#include "ps/consistency/ssp.hpp"
#include "ps/consistency/sync.hpp"

namespace ps {
namespace {

constexpr std::array kStrategies{
    StrategyInfo{"sync", "servers average the gradients of all workers, then update once; everybody waits", true,
                 false},
    StrategyInfo{"async", "every worker pulls, computes and pushes without waiting for anybody", true, false},
    StrategyInfo{"ssp", "as async, but nobody is more than --staleness rounds ahead of the slowest", true, false},
    StrategyInfo{"local", "workers take --local-steps gradients on a copy, then servers average (FedAvg)", true, true},
    StrategyInfo{"easgd", "workers keep copies that an elastic force of --rho ties to a common centre", true, true},
    StrategyInfo{"gossip", "no server: each worker averages its copy with its neighbours in --topology", false, false},
    StrategyInfo{"allreduce", "no server: gradients are averaged by all-reduce; the same bits as sync", false, false},
};

} // namespace

std::span<const StrategyInfo> strategies() noexcept {
  return kStrategies;
}

const StrategyInfo& find_strategy(std::string_view name) {
  std::vector<std::string_view> names;
  for (const StrategyInfo& info : kStrategies) {
    if (info.name == name) return info;
    names.push_back(info.name);
  }
  throw core::InputError(fmt::format("--strategy {}: one of {}", name, fmt::join(names, ", ")));
}

template <class T>
std::unique_ptr<Strategy<T>> make_strategy(const TrainingSite<T>& site) {
  const std::string_view name = find_strategy(site.options.strategy).name;
  if (site.options.sparse_table) return std::make_unique<SparseAsync<T>>(site);
  if (name == "sync") return std::make_unique<Sync<T>>(site);
  if (name == "async") return std::make_unique<Async<T>>(site);
  if (name == "ssp") return std::make_unique<Ssp<T>>(site);
  if (name == "local") return std::make_unique<Local<T>>(site);
  if (name == "easgd") return std::make_unique<Easgd<T>>(site);
  if (name == "gossip") return std::make_unique<Gossip<T>>(site);
  return std::make_unique<AllReduce<T>>(site);
}

template std::unique_ptr<Strategy<float>> make_strategy(const TrainingSite<float>&);
template std::unique_ptr<Strategy<double>> make_strategy(const TrainingSite<double>&);

} // namespace ps
