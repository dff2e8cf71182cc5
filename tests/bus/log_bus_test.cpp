#include "bus/log_bus_rows.hpp"
#include "storage/keys.hpp"
#include "tests/bus/log_host.hpp"
#include "tests/bus/samples.hpp"

#include <doctest/doctest.h>

using namespace parcelflow;
using bus::settlement;
using test::sample_batch;

namespace {

constexpr const char* topic = "order.events";
using names = std::vector<std::string>;

test::recording_done publish(test::log_host& host, std::uint64_t first,
                             std::uint64_t last) {
  test::recording_done answer;
  host.bus().publish(topic, sample_batch("s", first, last), answer.done());
  return answer;
}

test::recording_sink subscribe(test::log_host& host,
                               const std::string& consumer,
                               bool from_now = false) {
  test::recording_sink to;
  REQUIRE(host.bus().subscribe({topic, consumer, 1000, from_now}, to.sink()));
  host.run();
  return to;
}

void ack(test::log_host& host, const std::string& consumer, std::uint64_t first,
         std::uint64_t last) {
  std::vector<bus::settled> what;
  for (auto token = first; token <= last; ++token)
    what.push_back({token, settlement::ack});
  host.bus().settle(topic, consumer, std::move(what));
  host.run();
}

/// A log row as damage would have left it.
void write_row(test::log_host& host, std::uint64_t last, std::string value) {
  host.bus().rows().put(storage::topic_log_key(topic, last), std::move(value));
  REQUIRE(host.commit_round());
}

} // namespace

TEST_CASE("only what is durable is answered and delivered") {
  test::log_host host;
  const auto to = subscribe(host, "c");
  const auto answer = publish(host, 1, 3);
  host.step();
  CHECK_FALSE(answer.came());
  CHECK(to.count() == 0);
  REQUIRE(host.commit_round());
  CHECK(answer.accepted() == 3);
  CHECK(to.names() == names{"s/1", "s/2", "s/3"});
  CHECK(*answer.results()[2] == "p3");
}

TEST_CASE("a crash before the round leaves no trace of a batch") {
  test::log_host host;
  publish(host, 1, 2);
  host.run();
  const auto lost = publish(host, 3, 4);
  host.step();
  host.reopen();
  CHECK_FALSE(lost.came());
  const auto to = subscribe(host, "c");
  CHECK(to.names() == names{"s/1", "s/2"});
  const auto answer = publish(host, 5, 5);
  host.run();
  CHECK(*answer.results()[0] == "p3");
  CHECK(to.names().back() == "s/5");
}

TEST_CASE("a restart goes on from the cursor") {
  test::log_host host;
  publish(host, 1, 5);
  const auto to = subscribe(host, "c");
  ack(host, "c", 1, 3);
  publish(host, 6, 6); // its round takes the cursor along
  host.run();
  host.reopen();
  CHECK(subscribe(host, "c").names() == names{"s/4", "s/5", "s/6"});
}

TEST_CASE("a cursor alone starts no round, and its lag only repeats") {
  test::log_host host;
  publish(host, 1, 3);
  const auto to = subscribe(host, "c");
  ack(host, "c", 1, 3);
  CHECK_FALSE(host.bus().rows().must_commit());
  CHECK(host.bus().rows().has_staged());
  host.reopen();
  CHECK(subscribe(host, "c").names() == to.names());
}

TEST_CASE("a clean stop leaves exact cursors") {
  test::log_host host;
  publish(host, 1, 5);
  const auto to = subscribe(host, "c");
  ack(host, "c", 1, 2);
  ack(host, "c", 4, 4); // behind a gap: it will come again
  host.stop();
  host.open();
  CHECK(subscribe(host, "c").names() == names{"s/3", "s/4", "s/5"});
}

TEST_CASE("a consumer that keeps up is given the published objects") {
  test::log_host host;
  const auto to = subscribe(host, "c");
  auto batch = sample_batch("s", 1, 2);
  const auto first = batch[0].event;
  host.bus().publish(topic, batch, [](auto&&) {});
  host.run();
  REQUIRE(to.count() == 2);
  CHECK(to.seen()[0].event == first);
}

TEST_CASE("what the cache lost is read from rows, from any position") {
  bus::log_bus_options options;
  options.cache_bytes_max = sample_batch("s", 1, 1)[0].event->bytes.size() * 3;
  test::log_host host(options);
  names expected;
  for (std::uint64_t i = 1; i <= 10; ++i) {
    publish(host, 4 * i - 3, 4 * i);
    publish(host, 100 + i, 100 + i);
    host.run();
    for (std::uint64_t s = 4 * i - 3; s <= 4 * i; ++s)
      expected.push_back("s/" + std::to_string(s));
    expected.push_back("s/" + std::to_string(100 + i));
  }
  CHECK(subscribe(host, "all").names() == expected);
  for (std::uint64_t from = 1; from < 50; from += 7) {
    const auto consumer = "from-" + std::to_string(from);
    subscribe(host, consumer);
    ack(host, consumer, 1, from);
    host.stop();
    host.open();
    const auto rest = subscribe(host, consumer);
    CHECK(rest.names() == names(expected.begin() + long(from), expected.end()));
    CHECK(rest.seen()[0].token == from + 1);
  }
}

TEST_CASE("bytes that do not parse are delivered as such") {
  test::log_host host;
  publish(host, 1, 1);
  host.run();
  const auto strange = std::make_shared<const domain::event>(
    domain::event{{}, "no event at all", {}});
  write_row(host, 2, bus::encode_log_row(2, {{strange, 1}}));
  host.reopen();
  publish(host, 3, 3);
  const auto to = subscribe(host, "c");
  CHECK(to.names() == names{"s/1", "?", "s/3"});
  const auto one = to.seen()[1];
  REQUIRE(one.raw != nullptr);
  CHECK(*one.raw == "no event at all");
  CHECK(one.why.code == domain::failure::invalid_envelope);
  CHECK(one.token == 2);
  CHECK(one.offer == 1);
}

TEST_CASE("a damaged row is delivered, position by position") {
  test::log_host host;
  publish(host, 1, 2);
  host.run();
  publish(host, 3, 5);
  host.run();
  write_row(host, 5, "damage");
  publish(host, 6, 6);
  host.run();
  host.reopen();
  const auto to = subscribe(host, "c");
  CHECK(to.names() == names{"s/1", "s/2", "?", "?", "?", "s/6"});
  CHECK(*to.seen()[3].raw == "damage");
  CHECK(to.seen()[3].why.code == domain::failure::storage_corrupt);
  ack(host, "c", 1, 6);
  CHECK(host.bus().counters().consumers[0].settled_up_to == 6);
}

TEST_CASE("a row that is missing stops the consumer in front of it") {
  test::log_host host;
  publish(host, 1, 2);
  host.run();
  publish(host, 3, 4);
  host.run();
  publish(host, 5, 6);
  host.run();
  host.bus().rows().erase(storage::topic_log_key(topic, 4));
  REQUIRE(host.commit_round());
  host.reopen();
  const auto to = subscribe(host, "c");
  CHECK(to.names() == names{"s/1", "s/2"});
  ack(host, "c", 1, 2);
  CHECK(to.count() == 2);
  CHECK(host.bus().counters().consumers[0].stopped);
}

TEST_CASE("a damaged cursor repeats the log, and skips nothing") {
  test::log_host host;
  publish(host, 1, 3);
  subscribe(host, "c");
  ack(host, "c", 1, 2);
  host.stop();
  host.open();
  host.bus().rows().put(storage::topic_cursor_key(topic, "c"), "damage");
  REQUIRE(host.commit_round());
  host.reopen();
  CHECK(subscribe(host, "c").count() == 3);
}

TEST_CASE("from_now is where the consumer first came, also after a crash") {
  test::log_host host;
  publish(host, 1, 2);
  host.run();
  CHECK(subscribe(host, "c", true).count() == 0);
  publish(host, 3, 3);
  host.run();
  host.reopen();
  publish(host, 4, 4);
  host.run();
  CHECK(subscribe(host, "c", true).names() == names{"s/3", "s/4"});
}

TEST_CASE("one step hands a consumer a bounded batch and wakes again") {
  bus::log_bus_options options;
  options.delivery_events_max = 3;
  test::log_host host(options);
  std::vector<std::string> turns;
  for (const std::string consumer : {"a", "b"})
    REQUIRE(host.bus().subscribe({topic, consumer, 100, false},
                                 [&turns, consumer](const auto& batch) {
                                   CHECK(batch->size() <= 3);
                                   turns.push_back(consumer);
                                 }));
  host.run();
  publish(host, 1, 7);
  host.step();
  REQUIRE(host.commit_round());
  CHECK(turns.size() == 2);
  CHECK(host.woken());
  host.run();
  CHECK_FALSE(host.woken());
  CHECK(turns.size() == 6);
  CHECK(std::count(turns.begin(), turns.end(), "a") == 3);
}

TEST_CASE("any number of calls wakes the host once") {
  test::temp_directory directory;
  const auto store = test::open_or_throw(test::options_for(directory.path()));
  int wakes = 0;
  bus::log_bus on(store->take(storage::owner::bus), {}, [&wakes] { ++wakes; });
  test::recording_done answer;
  on.publish(topic, sample_batch("s", 1, 1), answer.done());
  on.publish(topic, sample_batch("s", 2, 2), answer.done());
  on.settle(topic, "c", {});
  CHECK(wakes == 1);
  on.step();
  CHECK(wakes == 1);
  on.publish(topic, sample_batch("s", 3, 3), answer.done());
  CHECK(wakes == 2);
}

TEST_CASE("a batch that was never staged is answered when the bus goes") {
  test::log_host host;
  const auto answer = publish(host, 1, 2);
  host.crash();
  REQUIRE(answer.results().size() == 2);
  CHECK(answer.results()[0].why().code == domain::failure::bus_closed);
}

TEST_CASE("counters tell what the log and its consumers did") {
  test::log_host host;
  subscribe(host, "c");
  publish(host, 1, 4);
  host.run();
  ack(host, "c", 1, 2);
  host.bus().settle(topic, "c", {{3, settlement::retry}});
  host.run();
  const auto now = host.bus().counters();
  CHECK(now.appended == 4);
  REQUIRE(now.topics.size() == 1);
  CHECK(now.topics[0].topic == topic);
  CHECK(now.topics[0].first_position == 1);
  CHECK(now.topics[0].next_position == 5);
  REQUIRE(now.consumers.size() == 1);
  const auto& c = now.consumers[0];
  CHECK(c.consumer == "c");
  CHECK(c.settled_up_to == 2);
  CHECK(c.lag == 2);
  CHECK(c.in_flight == 2);
  CHECK(c.delivered == 5);
  CHECK(c.redelivered == 1);
  CHECK(c.acked == 2);
  CHECK_FALSE(c.stopped);
}
