#include "tests/simulation/gated_env.hpp"

namespace parcelflow::simulation {

gated_env::gated_env(std::unique_ptr<rocksdb::Env> inner,
                     const support::clock& time)
  : EnvWrapper(inner.get()), inner_(std::move(inner)), time_(time),
    worker_([this] { work(); }) {}

gated_env::~gated_env() {
  {
    const std::lock_guard guard(lock_);
    ended_ = true;
  }
  changed_.notify_all();
  worker_.join();
}

void gated_env::work() {
  std::unique_lock guard(lock_);
  for (;;) {
    changed_.wait(guard, [this] {
      return ended_ || (!jobs_.empty() && (open_ || draining_));
    });
    if (jobs_.empty()) {
      if (ended_)
        return;
      continue;
    }
    const auto next = jobs_.front();
    jobs_.pop_front();
    busy_ = true;
    guard.unlock();
    next.function(next.argument);
    guard.lock();
    busy_ = false;
    ++ran_;
    changed_.notify_all();
  }
}

std::size_t gated_env::run_jobs() {
  std::unique_lock guard(lock_);
  const auto before = ran_;
  draining_ = true;
  changed_.notify_all();
  changed_.wait(guard, [this] { return jobs_.empty() && !busy_; });
  draining_ = false;
  return ran_ - before;
}

void gated_env::open_gate(bool open) {
  const std::lock_guard guard(lock_);
  open_ = open;
  changed_.notify_all();
}

void gated_env::Schedule(void (*function)(void*), void* argument,
                         Priority priority, void* tag,
                         void (*unschedule)(void*)) {
  const std::lock_guard guard(lock_);
  jobs_.push_back({function, argument, tag, unschedule, priority});
  changed_.notify_all();
}

int gated_env::UnSchedule(void* tag, Priority priority) {
  const std::lock_guard guard(lock_);
  int removed = 0;
  for (auto at = jobs_.begin(); at != jobs_.end();)
    if (at->tag == tag && at->priority == priority) {
      if (at->unschedule != nullptr)
        at->unschedule(at->argument);
      at = jobs_.erase(at);
      ++removed;
    } else {
      ++at;
    }
  // RocksDB does this when it closes; it then waits for what it cannot take
  // back: the removal of files.
  for (const auto& left : jobs_)
    open_ = open_ || left.argument == tag;
  changed_.notify_all();
  return removed;
}

std::uint64_t gated_env::NowMicros() {
  return static_cast<std::uint64_t>(time_.now()) * 1000;
}

rocksdb::Status gated_env::GetCurrentTime(std::int64_t* seconds) {
  *seconds = time_.now() / 1000;
  return rocksdb::Status::OK();
}

} // namespace parcelflow::simulation
