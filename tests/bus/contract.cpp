#include "tests/bus/contract.hpp"

#include "tests/bus/samples.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <thread>

namespace parcelflow::test {
namespace {

using bus::settlement;
using domain::failure;

constexpr const char* topic = "order.events";

/// A harness with what the claims below need to say it shortly.
struct bench {
  std::unique_ptr<bus_harness> harness;
  bus::event_bus& on() { return harness->bus(); }

  recording_done publish(std::vector<bus::offered> batch) {
    recording_done answer;
    on().publish(topic, std::move(batch), answer.done());
    harness->run();
    return answer;
  }
  recording_sink subscribe(const std::string& consumer,
                           std::size_t in_flight_max = 64) {
    recording_sink to;
    REQUIRE(on().subscribe({topic, consumer, in_flight_max, false}, to.sink()));
    harness->run();
    return to;
  }
  void settle(const std::string& consumer, std::vector<bus::settled> what) {
    on().settle(topic, consumer, std::move(what));
    harness->run();
  }
  /// Settles until the consumer is given nothing new.
  void drain(const std::string& consumer, const recording_sink& of) {
    for (std::size_t before = 0; before != of.count();) {
      before = of.count();
      settle(consumer, of.all());
    }
  }
};

std::vector<std::string> names(const std::string& aggregate,
                               std::uint64_t first, std::uint64_t last) {
  std::vector<std::string> all;
  for (auto i = first; i <= last; ++i)
    all.push_back(aggregate + "/" + std::to_string(i));
  return all;
}

void answers_every_event(bench b) {
  const auto answer = b.publish(sample_batch("ord-1", 1, 3));
  CHECK(answer.calls() == 1);
  REQUIRE(answer.results().size() == 3);
  std::set<std::string> ids;
  for (const auto& one : answer.results()) {
    REQUIRE(one.ok());
    ids.insert(*one);
  }
  CHECK(ids.size() == 3);
  const auto nothing = b.publish({});
  CHECK(nothing.calls() == 1);
  CHECK(nothing.results().empty());
}

void keeps_streams_in_order(bench b) {
  const auto to = b.subscribe("c", 1000);
  for (std::uint64_t i = 1; i <= 5; ++i) {
    auto batch = sample_batch("ord-1", 2 * i - 1, 2 * i);
    const auto other = sample_batch("ord-2", 3 * i - 2, 3 * i);
    batch.insert(batch.end(), other.begin(), other.end());
    REQUIRE(b.publish(batch).accepted() == 5);
  }
  b.drain("c", to);
  std::vector<std::string> first;
  for (const auto& name : to.names())
    if (name.starts_with("ord-1"))
      first.push_back(name);
  CHECK(to.count() == 25);
  if (b.on().traits().ordered_per_key)
    CHECK(first == names("ord-1", 1, 10));
}

void delivers_what_was_published(bench b) {
  const auto to = b.subscribe("c");
  auto event = sample_event("ord-1", 7);
  REQUIRE(b.publish({{event, 3}}).accepted() == 1);
  REQUIRE(to.count() == 1);
  const auto seen = to.seen();
  REQUIRE(seen[0].event != nullptr);
  CHECK(seen[0].event->bytes == event->bytes);
  CHECK(seen[0].event->digest == event->digest);
  CHECK(seen[0].event->envelope == event->envelope);
  CHECK(seen[0].offer == 3);
  CHECK(seen[0].topic == topic);
}

void begins_where_it_was_told(bench b) {
  REQUIRE(b.publish(sample_batch("ord-1", 1, 3)).accepted() == 3);
  recording_sink late;
  REQUIRE(b.on().subscribe({topic, "late", 64, true}, late.sink()));
  const auto early = b.subscribe("early");
  REQUIRE(b.publish(sample_batch("ord-1", 4, 5)).accepted() == 2);
  CHECK(early.names() == names("ord-1", 1, 5));
  CHECK(late.names() == names("ord-1", 4, 5));
}

void keeps_topics_apart(bench b) {
  const auto to = b.subscribe("c");
  recording_done answer;
  b.on().publish("other", sample_batch("ord-9", 1, 1), answer.done());
  b.harness->run();
  CHECK(answer.accepted() == 1);
  CHECK(to.count() == 0);
}

void never_exceeds_credits(bench b) {
  REQUIRE(b.publish(sample_batch("ord-1", 1, 20)).accepted() == 20);
  const auto to = b.subscribe("c", 4);
  CHECK(to.count() == 4);
  b.settle("c", {{to.seen()[1].token, settlement::ack}});
  CHECK(to.count() == 5);
  b.settle("c", {{to.seen()[0].token, settlement::ack},
                 {to.seen()[2].token, settlement::ack}});
  CHECK(to.count() == 7);
  b.drain("c", to);
  CHECK(to.names() == names("ord-1", 1, 20));
}

void ignores_a_second_settle(bench b) {
  REQUIRE(b.publish(sample_batch("ord-1", 1, 9)).accepted() == 9);
  const auto to = b.subscribe("c", 2);
  const bus::settled once{to.seen()[0].token, settlement::ack};
  b.settle("c", {once, once});
  CHECK(to.count() == 3);
  b.settle("c", {once, {once.token, settlement::retry}, {9999, {}}});
  b.settle("nobody", {once});
  CHECK(to.count() == 3);
  CHECK(to.names() == names("ord-1", 1, 3));
}

void retries_what_is_given_back(bench b) {
  REQUIRE(b.publish(sample_batch("ord-1", 1, 3)).accepted() == 3);
  const auto to = b.subscribe("c", 2);
  b.settle("c", {{to.seen()[0].token, settlement::retry}});
  const auto seen = to.names();
  CHECK(std::count(seen.begin(), seen.end(), "ord-1/1") == 2);
  b.drain("c", to);
  const auto all = to.names();
  const std::set<std::string> distinct(all.begin(), all.end());
  CHECK(distinct.size() == 3);
}

void slow_does_not_stop_another(bench b) {
  const auto slow = b.subscribe("slow", 1);
  const auto fast = b.subscribe("fast", 8);
  REQUIRE(b.publish(sample_batch("ord-1", 1, 50)).accepted() == 50);
  b.drain("fast", fast);
  CHECK(fast.names() == names("ord-1", 1, 50));
  CHECK(slow.count() == 1);
}

void refuses_oversize(bench b) {
  const auto to = b.subscribe("c");
  auto large = sample_event("ord-1", 1)->envelope;
  domain::event big{
    large, std::string(b.on().traits().payload_max + 1, 'x'), {}};
  auto batch = sample_batch("ord-2", 1, 1);
  batch.push_back({std::make_shared<const domain::event>(big), 0});
  const auto answer = b.publish(batch);
  REQUIRE(answer.results().size() == 2);
  REQUIRE_FALSE(answer.results()[1].ok());
  CHECK(answer.results()[1].why().code == failure::bus_refused);
  if (b.on().traits().atomic_batch)
    CHECK(answer.results()[0].ok() == false);
  if (!answer.results()[0].ok())
    CHECK(answer.results()[0].why().code == failure::bus_unreachable);
  CHECK(to.count() == answer.accepted());
}

void refuses_a_second_subscription(bench b) {
  const auto to = b.subscribe("c");
  const auto again = b.on().subscribe({topic, "c", 1, false}, to.sink());
  REQUIRE_FALSE(again.ok());
  CHECK(again.why().code == failure::config_invalid);
  CHECK(b.on().subscribe({"other", "c", 1, false}, to.sink()).ok());
  for (const auto& wrong : {bus::subscription{"", "c", 1, false},
                            {topic, "", 1, false},
                            {topic, "d", 0, false}}) {
    const auto refused = b.on().subscribe(wrong, to.sink());
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.why().code == failure::config_invalid);
  }
}

void close_finishes_what_was_accepted(bench b) {
  const auto to = b.subscribe("c");
  recording_done before;
  recording_done after;
  int closed = 0;
  std::size_t answered_at_close = 0;
  b.on().publish(topic, sample_batch("ord-1", 1, 2), before.done());
  b.on().close([&] {
    ++closed;
    answered_at_close = before.calls();
  });
  b.on().publish(topic, sample_batch("ord-1", 3, 4), after.done());
  b.harness->run();
  CHECK(closed == 1);
  CHECK(answered_at_close == 1);
  CHECK(before.calls() == 1);
  REQUIRE(after.results().size() == 2);
  CHECK(after.results()[0].why().code == failure::bus_closed);
  const auto late = b.on().subscribe({topic, "d", 1, false}, to.sink());
  REQUIRE_FALSE(late.ok());
  CHECK(late.why().code == failure::bus_closed);
  const auto accepted = before.accepted();
  if (!b.on().traits().redelivers_unsettled)
    return;
  b.harness->reopen();
  const auto again = b.subscribe("c");
  CHECK(again.count() == accepted);
}

void redelivers_the_unsettled(bench b) {
  if (!b.on().traits().redelivers_unsettled)
    return;
  REQUIRE(b.publish(sample_batch("ord-1", 1, 5)).accepted() == 5);
  const auto to = b.subscribe("c");
  REQUIRE(to.count() == 5);
  b.settle("c", {{to.seen()[0].token, settlement::ack},
                 {to.seen()[3].token, settlement::retry}});
  b.harness->reopen();
  const auto again = b.subscribe("c");
  const auto seen = again.names();
  for (const auto& name : names("ord-1", 2, 5))
    CHECK(std::count(seen.begin(), seen.end(), name) == 1);
  b.drain("c", again);
  REQUIRE(b.publish(sample_batch("ord-1", 6, 6)).accepted() == 1);
  CHECK(again.names().back() == "ord-1/6");
}

void serves_any_thread(bench b) {
  const auto to = b.subscribe("c", 1000);
  std::vector<recording_done> answers(4);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < answers.size(); ++t)
    threads.emplace_back([&b, &answers, t] {
      const auto stream = "ord-" + std::to_string(t);
      for (std::uint64_t i = 1; i <= 50; ++i) {
        b.on().publish(topic, sample_batch(stream, i, i), answers[t].done());
        b.on().settle(topic, "c", {{i * 4, settlement::ack}});
      }
    });
  for (auto& one : threads)
    one.join();
  b.harness->run();
  b.drain("c", to);
  for (const auto& answer : answers)
    CHECK(answer.calls() == 50);
  const auto seen = to.names();
  CHECK(std::set<std::string>(seen.begin(), seen.end()).size() == 200);
  CHECK(seen.size() == 200);
}

} // namespace

void bus_contract(const make_harness& make) {
  using claim = std::pair<const char*, void (*)(bench)>;
  static const claim claims[] = {
    {"every event offered gets one answer, in order", answers_every_event},
    {"a stream arrives as it was offered", keeps_streams_in_order},
    {"what arrives is what was published", delivers_what_was_published},
    {"a new cursor begins where it was told", begins_where_it_was_told},
    {"topics do not mix", keeps_topics_apart},
    {"credits are never exceeded and settling returns them",
     never_exceeds_credits},
    {"a second settle of a token is ignored", ignores_a_second_settle},
    {"what is given back is delivered again", retries_what_is_given_back},
    {"a slow consumer does not stop another", slow_does_not_stop_another},
    {"an event that is too large is refused for good", refuses_oversize},
    {"a second subscription is refused", refuses_a_second_subscription},
    {"close finishes what was accepted and refuses the rest",
     close_finishes_what_was_accepted},
    {"what was not settled comes again after a restart",
     redelivers_the_unsettled},
    {"any thread may call", serves_any_thread},
  };
  for (const auto& [name, holds] : claims)
    SUBCASE(name) {
      holds(bench{make()});
    }
}

} // namespace parcelflow::test
