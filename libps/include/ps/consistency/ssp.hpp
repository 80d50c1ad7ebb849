// Stale synchronous parallel (Ho et al., "More effective distributed ML via a stale synchronous parallel parameter
// server", NIPS 2013): asynchronous training in which nobody runs away.
//
// A worker that has done c_i rounds may begin the next one when c_i - min_j c_j <= s. With s = 0 all go in step (but
// each gradient is applied by itself); with s = infinity nobody waits. The slowest worker never waits, so there is no
// deadlock. Who waits reads one number, the minimum of the clocks (table/clock_table.hpp), and sleeps in between.
//
// A clock advances when its worker's gradient has been applied, so counted in updates a gradient is at most
// (W-1)(2s+1) versions old: while worker i is in round c_i, another one can be in rounds c_i - s to c_i + s only.
#pragma once

#include "ps/consistency/async.hpp"

namespace ps {

template <class T>
class Ssp final : public Async<T> {
 public:
  using Async<T>::Async;

 private:
  using typename Async<T>::Runner;
  using typename Async<T>::Status;

  bool may_start(Runner& runner, const Status& status) override;
};

} // namespace ps
