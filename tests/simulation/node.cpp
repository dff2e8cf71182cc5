#include "tests/simulation/node.hpp"

#include "support/fault_point.hpp"

namespace parcelflow::simulation {
namespace {

using rocksdb::IOStatus;
using test::disk_op;

/// A name without its directory: what is the same in every run.
std::string_view last_two(std::string_view path) {
  const auto slash = path.rfind('/');
  return slash == path.npos ? path : path.substr(slash + 1);
}

bool takes_room(disk_op op) {
  return op == disk_op::append || op == disk_op::create;
}

} // namespace

node::node(std::shared_ptr<memory_disk> disk, support::manual_clock& clock,
           trace& log, node_options options)
  : disk_(std::move(disk)), clock_(clock), trace_(log),
    options_(std::move(options)) {
  disk_->watch(
    [this](const test::disk_request& asked) { return watch(asked); });
}

node::~node() {
  shut();
  disk_->watch({});
}

domain::status node::start() {
  config_ = std::make_unique<test::coordinator_config>();
  system_ = std::make_unique<caf::actor_system>(*config_);
  scheduler_ =
    &dynamic_cast<caf::scheduler::test_coordinator&>(system_->scheduler());
  app::seams with;
  with.clock = &clock_;
  with.seed = options_.seed;
  with.file_system = disk_;
  with.detached = false;
  with.run_scheduled = [this] { scheduler_->run(); };
  with.wrap_env = [this](std::unique_ptr<rocksdb::Env> inner) {
    auto made = std::make_unique<gated_env>(std::move(inner), clock_);
    env_ = made.get();
    return made;
  };
  with.on_storage_failure = [this](const domain::fault& why) {
    storage_failed(why);
  };
  with.on_owner_death = [this](const std::string& why) {
    if (over())
      return;
    cause_ = "an owner died: " + why;
    end(crash_mode::process, crash_draw_, nullptr);
  };
  if (options_.wire != nullptr)
    with.wrap_bus = [this](std::unique_ptr<bus::event_bus>) {
      return options_.wire->connect();
    };
  if (options_.adjust)
    options_.adjust(with);
  try {
    auto made = app::runtime::start(*system_, options_.settings, with);
    if (!made)
      return made.why();
    runtime_ = std::move(*made);
  } catch (const storage_died& why) {
    return domain::fault{domain::failure::storage_io, why.what()};
  }
  env_->run_jobs();
  return domain::done();
}

bool node::ready() const {
  return scheduler_->has_job();
}

bool node::step(chance& draw) {
  if (over() || !scheduler_->has_job())
    return false;
  auto& jobs = scheduler_->jobs;
  if (jobs.size() > 1) {
    const auto at = static_cast<long>(draw.below(jobs.size()));
    std::swap(jobs.front(), *(jobs.begin() + at));
  }
  scheduler_->run_once();
  ++steps_;
  if (crash_ && crash_step_ == steps_ && !over()) {
    struck_ = "a step";
    end(crash_->mode, crash_draw_, nullptr);
  }
  return true;
}

void node::pass(support::unix_ms ms) {
  if (over())
    return;
  clock_.advance(ms);
  scheduler_->advance_time(std::chrono::milliseconds(ms));
}

void node::flush() {
  if (over())
    return;
  try {
    runtime_->store().flush(false);
  } catch (const storage_died&) {
    // over by now
  }
  env_->run_jobs();
}

void node::plan_crash(crash_plan plan, chance draw) {
  crash_ = std::move(plan);
  crash_draw_ = draw;
  crash_change_ =
    crash_->at_change > 0 ? disk_->changes() + crash_->at_change : 0;
  crash_step_ = crash_->at_step > 0 ? steps_ + crash_->at_step : 0;
  if (crash_->at_point.empty())
    return;
  support::on_fault_point([this](std::string_view point) {
    struck_ = point;
    end(crash_->mode, crash_draw_, nullptr);
  });
  support::arm_fault_point(crash_->at_point, crash_->passage);
}

void node::plan_fault(disk_fault fault) {
  fault_ = fault;
  fault_.at_change += disk_->changes();
  full_ = false;
}

void node::crash_now(crash_mode mode, chance& draw) {
  struck_ = "between steps";
  end(mode, draw, nullptr);
}

void node::end(crash_mode mode, chance& draw, const test::disk_request* cut) {
  if (over())
    return;
  left_ = disk_->after(mode, draw, cut);
  trace_.add("crash");
  trace_.add(to_string(mode));
  if (options_.wire != nullptr)
    options_.wire->disconnect();
}

void node::storage_failed(const domain::fault& why) {
  if (!over()) {
    cause_ = why.detail;
    end(crash_mode::process, crash_draw_, nullptr);
  }
  throw storage_died(why.detail);
}

IOStatus node::watch(const test::disk_request& asked) {
  if (over() || asked.op == disk_op::read)
    return IOStatus::OK();
  trace_.add(static_cast<std::uint64_t>(asked.op));
  trace_.add(last_two(asked.path));
  trace_.add(asked.data.size());
  const auto where = [&] {
    return std::string(test::to_string(asked.op)) + " "
           + std::string(last_two(asked.path));
  };
  if (crash_ && crash_change_ == asked.number) {
    struck_ = where();
    end(crash_->mode, crash_draw_, &asked);
    return IOStatus::OK();
  }
  if (fault_.at_change != 0 && fault_.at_change <= asked.number) {
    if (fault_.no_space) {
      full_ = true;
    } else if (fault_.at_change == asked.number) {
      struck_ = where();
      if (fault_.unsynced_lost && asked.op == disk_op::sync)
        disk_->forget_unsynced(asked.path);
      return IOStatus::IOError("simulated");
    }
  }
  if (full_ && takes_room(asked.op)) {
    struck_ = where();
    return IOStatus::NoSpace("simulated");
  }
  if (slow_sync_ > 0 && asked.op == disk_op::sync) {
    clock_.advance(slow_sync_);
    slow_sync_ = 0;
  }
  return IOStatus::OK();
}

/// The remains run to their end, on a disk that nobody will see.
void node::shut() {
  support::on_fault_point([](std::string_view) {}); // one may still be armed
  if (!over())
    left_ = disk_; // closed in order: what is durable stays where it is
  if (env_ != nullptr && runtime_)
    env_->open_gate(true);
  try {
    runtime_.reset();
  } catch (const storage_died&) {
    // it was over
  }
  system_.reset();
}

} // namespace parcelflow::simulation
