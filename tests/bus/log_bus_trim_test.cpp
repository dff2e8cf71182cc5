// What the log adapter cuts off, and what it never does.
#include "storage/keys.hpp"
#include "tests/bus/log_host.hpp"
#include "tests/bus/samples.hpp"

#include <doctest/doctest.h>

using namespace parcelflow;
using namespace std::chrono_literals;

namespace {

constexpr const char* topic = "order.events";

/// A log that is cut in steps of ten events, and a time to bend.
struct bench {
  std::shared_ptr<std::chrono::milliseconds> now =
    std::make_shared<std::chrono::milliseconds>(0);
  test::log_host host;
  std::uint64_t published = 0;

  bench() : host(options_on(now)) {}
  static bus::log_bus_options
  options_on(const std::shared_ptr<std::chrono::milliseconds>& now) {
    bus::log_bus_options options;
    options.cache_bytes_max = 0;
    options.trim_step_events = 10;
    options.retention = 1h;
    options.uptime = [now] { return *now; };
    return options;
  }
  /// One batch of five, in a round of its own.
  void publish_five() {
    test::recording_done answer;
    host.bus().publish(topic,
                       test::sample_batch("s", published + 1, published + 5),
                       answer.done());
    published += 5;
    host.run();
    REQUIRE(answer.accepted() == 5);
  }
  test::recording_sink subscribe(const std::string& consumer) {
    test::recording_sink to;
    REQUIRE(host.bus().subscribe({topic, consumer, 1000, false}, to.sink()));
    host.run();
    return to;
  }
  void ack_up_to(const std::string& consumer, std::uint64_t last) {
    std::vector<bus::settled> what;
    for (std::uint64_t token = 1; token <= last; ++token)
      what.push_back({token, bus::settlement::ack});
    host.bus().settle(topic, consumer, std::move(what));
    host.run();
  }
  [[nodiscard]] std::uint64_t first() {
    return host.bus().counters().topics.at(0).first_position;
  }
  [[nodiscard]] bool stopped(const std::string& consumer) {
    for (const auto& one : host.bus().counters().consumers)
      if (one.consumer == consumer)
        return one.stopped;
    return false;
  }
  /// Rows that are on disk.
  [[nodiscard]] std::size_t rows() {
    std::size_t count = 0;
    host.bus().rows().scan(storage::topic_log_key(topic, 0),
                           storage::topic_log_key(topic, 1000000),
                           [&count](auto, auto) { return ++count > 0; });
    return count;
  }
};

} // namespace

TEST_CASE("the log is cut behind the slowest cursor, in large steps") {
  bench b;
  b.subscribe("fast");
  b.subscribe("slow");
  for (int i = 0; i < 6; ++i)
    b.publish_five();
  b.ack_up_to("fast", 30);
  CHECK(b.first() == 1);
  b.ack_up_to("slow", 9);
  CHECK(b.first() == 1);
  b.ack_up_to("slow", 12);
  b.publish_five();
  CHECK(b.first() == 13);
  CHECK(b.rows() == 5); // 11–15, in which 13 is, and what follows
}

TEST_CASE("a cursor that nobody is subscribed to holds the log") {
  bench b;
  b.subscribe("gone");
  b.host.reopen();
  b.subscribe("here");
  for (int i = 0; i < 6; ++i)
    b.publish_five();
  b.ack_up_to("here", 30);
  b.publish_five();
  CHECK(b.first() == 1);
  CHECK(b.rows() == 7);
  CHECK(b.subscribe("gone").count() == 35);
}

TEST_CASE("positions go on after everything was consumed and cut") {
  bench b;
  b.subscribe("c");
  for (int i = 0; i < 6; ++i)
    b.publish_five();
  b.ack_up_to("c", 30);
  b.host.stop();
  CHECK_NOTHROW(b.host.open());
  b.subscribe("c");
  CHECK(b.rows() == 1); // the newest stays
  b.publish_five();
  CHECK(b.host.bus().counters().topics[0].next_position == 36);
  b.host.reopen();
  const auto to = b.subscribe("c");
  CHECK(test::name_of(to.seen().at(0)) == "s/31");
  CHECK(to.seen()[0].token == 31);
}

TEST_CASE("without a consumer nothing is cut before its time") {
  bench b;
  for (int i = 0; i < 6; ++i)
    b.publish_five();
  CHECK(b.rows() == 6);
  CHECK(b.subscribe("late").count() == 30);
}

TEST_CASE("beyond retention a consumer is stopped, not led past the cut") {
  bench b;
  const auto slow = b.subscribe("slow");
  b.subscribe("fast");
  for (int i = 0; i < 4; ++i)
    b.publish_five();
  b.ack_up_to("fast", 20);
  *b.now = 59min;
  b.publish_five();
  CHECK_FALSE(b.stopped("slow"));
  CHECK(b.first() == 1);
  *b.now = 61min;
  b.publish_five();
  CHECK(b.stopped("slow"));
  CHECK_FALSE(b.stopped("fast"));
  CHECK(b.first() == 21);
  const auto before = slow.count();
  b.publish_five();
  CHECK(slow.count() == before);

  b.host.reopen();
  CHECK(b.subscribe("slow").count() == 0);
  CHECK(b.stopped("slow"));
}

TEST_CASE("a stopped consumer goes on when an operator says so") {
  bench b;
  b.subscribe("slow");
  for (int i = 0; i < 5; ++i)
    b.publish_five();
  *b.now = 61min;
  b.publish_five();
  REQUIRE(b.stopped("slow"));
  b.host.options().restart_from_history = {"slow"};
  b.host.reopen();
  const auto to = b.subscribe("slow");
  CHECK_FALSE(b.stopped("slow"));
  REQUIRE(to.count() == 10);
  CHECK(test::name_of(to.seen()[0]) == "s/21");
}

TEST_CASE("a restart makes rows live longer, never shorter") {
  bench b;
  b.subscribe("slow");
  for (int i = 0; i < 4; ++i)
    b.publish_five();
  *b.now = 61min;
  b.host.reopen();
  b.publish_five();
  CHECK(b.rows() == 5);
  CHECK(b.subscribe("slow").count() == 25);
  CHECK_FALSE(b.stopped("slow"));
}
