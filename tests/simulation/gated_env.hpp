// RocksDB's background work, one job at a time and only when the driver says
// so. Jobs queue up; `run_jobs` lets one worker run all of them, those that
// they schedule too, and waits. Between two such calls nothing runs but the
// driver, so a run repeats exactly.
//
// While the store flushes it waits for jobs of its own: `open_gate` lets them
// run as they come. A store that closes opens the gate by itself, for good.
// Thread rule: the driver's thread; RocksDB's calls from any.
#pragma once

#include "support/clock.hpp"

#include <rocksdb/env.h>

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

namespace parcelflow::simulation {

class gated_env final : public rocksdb::EnvWrapper {
public:
  gated_env(std::unique_ptr<rocksdb::Env> inner, const support::clock& time);
  ~gated_env() override;
  static const char* kClassName() { return "GatedEnv"; }
  const char* Name() const override { return kClassName(); }

  /// Runs what is queued, and what that queues; returns how many jobs.
  std::size_t run_jobs();
  void open_gate(bool open);

  void Schedule(void (*function)(void*), void* argument, Priority priority,
                void* tag, void (*unschedule)(void*)) override;
  int UnSchedule(void* tag, Priority priority) override;
  unsigned int GetThreadPoolQueueLen(Priority) const override { return 0; }
  std::uint64_t NowMicros() override;
  std::uint64_t NowNanos() override { return NowMicros() * 1000; }
  rocksdb::Status GetCurrentTime(std::int64_t* seconds) override;
  void SleepForMicroseconds(int) override {}

private:
  struct job {
    void (*function)(void*);
    void* argument;
    void* tag;
    void (*unschedule)(void*);
    Priority priority;
  };
  void work();

  std::unique_ptr<rocksdb::Env> inner_;
  const support::clock& time_;
  std::mutex lock_;
  std::condition_variable changed_;
  std::deque<job> jobs_;
  bool open_ = false;
  bool draining_ = false;
  bool busy_ = false;
  bool ended_ = false;
  std::size_t ran_ = 0;
  std::thread worker_;
};

} // namespace parcelflow::simulation
