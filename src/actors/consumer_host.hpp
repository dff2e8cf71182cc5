// An owner whose rows change by consuming alone: fulfillment and notification.
// It holds the writable family and hosts a core for each of its specs, so that
// two versions of a consumer share one family and one writer.
// Thread rule: an actor. Errors: none; a failing store is fail-stop.
#pragma once

#include "actors/history.hpp"
#include "actors/hosting.hpp"
#include "actors/interfaces.hpp"
#include "actors/round_writer.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace parcelflow::actors {

struct consumer_dependencies {
  storage::family rows;
  commit_way way;
  consumer_limits limits;
  history_limits walking;
  std::vector<domain::consumer_spec> specs;
  const support::clock* clock = nullptr;
  std::shared_ptr<support::id_source> ids;
  support::metrics* metrics = nullptr;
  bus::event_bus* bus = nullptr;
  dead_letter_actor dead_letters;
  order_actor order;
  std::function<void()> recovered; ///< see hosting_links
  verdict_feed* feed = nullptr;    ///< outlives the host
};

class consumer_host_state {
public:
  static inline constexpr const char* name = "consumer";

  void init(consumer_actor::pointer self, consumer_dependencies with);

  void deliver(const std::string& consumer, const bus::delivery_batch& batch);
  void told(const dead_letter_ref& which);
  void operate(const stream_op& what);
  void obey(const domain::pause_set_ptr& pauses);
  void flush() { writer_->flush(self_); }
  void durable();
  void tick();
  caf::result<bool> drain();

private:
  struct hosted {
    std::unique_ptr<consumer> core;
    std::unique_ptr<history> before;    ///< of a consumer that came later
    std::vector<bus::delivery> waiting; ///< until that is walked through
  };

  hosted* find(const std::string& wanted);
  hosted& get(const std::string& wanted);
  consumer& core_for(const std::string& wanted) { return *get(wanted).core; }
  void subscribe_core(hosted& one);
  void walk(hosted& one);
  void note_start(const hosted& one);
  void after();

  consumer_actor::pointer self_ = nullptr;
  std::optional<round_writer> writer_;
  std::optional<consumer_dependencies> with_;
  std::vector<hosted> cores_;
  host_alarm alarm_;
  bool stopped_ = false;
  std::optional<caf::typed_response_promise<bool>> drained_;
};

consumer_actor::behavior_type
consumer_host(consumer_actor::stateful_pointer<consumer_host_state> self,
              consumer_dependencies with);

} // namespace parcelflow::actors
