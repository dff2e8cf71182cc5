#include "pipeline_arm.hpp"

#include "app/config.hpp"
#include "app/wiring.hpp"
#include "codec/order_json.hpp"
#include "domain/fulfillment.hpp"
#include "domain/notification.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>

namespace parcelflow::bench {
namespace {

using steady = std::chrono::steady_clock;

double seconds(steady::duration d) {
  return std::chrono::duration<double>(d).count();
}

double cpu_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto of = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  return of(used.ru_utime) + of(used.ru_stime);
}

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "bench: %s\n", why.c_str());
  std::_Exit(70);
}

/// Keeps `in_flight` orders on the way; each answer makes room for the next.
class driver {
public:
  driver(app::runtime& engine, const arm_plan& plan)
    : engine_(engine), plan_(plan), latency_ms_(plan.orders) {}

  void set_stock() {
    for (std::size_t t = 0; t < plan_.tenants; ++t)
      engine_.gateway().set_stock(tenant(t), "sku-1", 1'000'000'000,
                                  [this](auto answer) {
                                    if (!answer)
                                      give_up(answer.why().detail);
                                    answered();
                                  });
    wait_for(plan_.tenants);
    done_ = 0;
  }

  void place_all() {
    std::size_t sent = 0;
    while (sent < plan_.orders) {
      {
        std::unique_lock lock(mutex_);
        wanted_ = sent + 1 > plan_.in_flight ? sent + 1 - plan_.in_flight : 0;
        room_.wait(lock, [&] { return done_ >= wanted_; });
      }
      place(sent++);
    }
    wait_for(plan_.orders);
  }

  std::vector<double>& latency_ms() { return latency_ms_; }

private:
  static std::string tenant(std::size_t number) {
    char name[32];
    std::snprintf(name, sizeof name, "tn-%06zu", number);
    return name;
  }
  void place(std::size_t number) {
    // The body is parsed like the door would, so that JSON is in the figure.
    const std::string body =
      "{\"lines\":[{\"sku\":\"sku-1\",\"quantity\":1,\"unitPriceMinor\":"
      "1250}],\"currency\":\"EUR\",\"paymentToken\":\"tok_ok\","
      "\"customerReference\":\"customer-"
      + std::to_string(number) + "\"}";
    auto request = codec::parse_order(body);
    if (!request)
      give_up(request.why().detail);
    // A multiplicative hash: tenants and keys come in no order.
    const std::uint64_t chance = number * 0x9E3779B97F4A7C15ULL;
    request->tenant_id = tenant((chance >> 20U) % plan_.tenants);
    request->idempotency_key = "key-" + std::to_string(chance);
    request->trace_id = "4bf92f3577b34da6a3ce929d0e0e4736";
    const auto begin = steady::now();
    engine_.gateway().place(
      std::move(*request),
      [this, number, begin](const actors::place_answer& answer) {
        if (answer.what != actors::place_answer::kind::accepted)
          give_up("refused: " + answer.why.detail);
        latency_ms_[number] = seconds(steady::now() - begin) * 1e3;
        answered();
      });
  }
  void answered() {
    const std::lock_guard lock(mutex_);
    done_ += 1;
    if (done_ == wanted_)
      room_.notify_one();
  }
  void wait_for(std::size_t count) {
    std::unique_lock lock(mutex_);
    wanted_ = count;
    room_.wait(lock, [&] { return done_ >= wanted_; });
  }

  app::runtime& engine_;
  const arm_plan& plan_;
  std::vector<double> latency_ms_;
  std::mutex mutex_;
  std::condition_variable room_;
  std::size_t done_ = 0;
  std::size_t wanted_ = 0; ///< `done_` at which the driver goes on
};

void wait_for_effects(app::runtime& engine, std::size_t orders) {
  const auto applied = [&](std::string_view consumer) {
    return engine.metrics()
      .counter("parcelflow_consumer_verdicts_total", "Deliveries by verdict",
               {{"consumer", std::string(consumer)}, {"verdict", "applied"}})
      .value();
  };
  const auto limit = steady::now() + std::chrono::minutes(2);
  while (applied(domain::fulfillment_consumer) < orders
         || applied(domain::notification_consumer) < orders) {
    if (steady::now() > limit)
      give_up("not every order reached both effects");
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
}

} // namespace

arm_result run_pipeline(const arm_plan& plan) {
  auto loaded = app::load_config({});
  if (!loaded)
    give_up(loaded.why().detail);
  auto settings = loaded->values;
  settings.data.directory = plan.directory;
  settings.order.inflight_orders_max = plan.in_flight + 16;
  if (plan.per_owner)
    settings.storage.committer = app::committer_kind::per_owner;
  support::system_clock clock;
  arm_result result;
  caf::actor_system_config config;
  app::configure_actors(config);
  caf::actor_system system{config};
  app::seams with;
  with.clock = &clock;
  with.seed = 1;
  with.on_round = [&](std::string_view bytes) {
    result.rounds_written.emplace_back(bytes);
  };
  auto engine = app::runtime::start(system, settings, std::move(with));
  if (!engine)
    give_up(engine.why().detail);
  driver drive(**engine, plan);
  drive.set_stock();
  result.rounds_written.clear();
  result.rounds_written.reserve(plan.orders);
  const auto cpu = cpu_seconds();
  const auto begin = steady::now();
  drive.place_all();
  const auto accepted = steady::now();
  wait_for_effects(**engine, plan.orders);
  const auto both = steady::now();
  const auto n = static_cast<double>(plan.orders);
  result.cpu_us_per_order = (cpu_seconds() - cpu) / n * 1e6;
  result.accepted_per_s = n / seconds(accepted - begin);
  result.both_effects_per_s = n / seconds(both - begin);
  auto& ms = drive.latency_ms();
  std::sort(ms.begin(), ms.end());
  result.accept_p50_ms = ms[ms.size() / 2];
  result.accept_p99_ms = ms[ms.size() * 99 / 100];
  (*engine)->stop(std::chrono::seconds(20));
  engine->reset();
  result.rounds = result.rounds_written.size();
  for (const auto& one : result.rounds_written)
    result.bytes += one.size();
  return result;
}

} // namespace parcelflow::bench
