// The books of one connection: which answers it owes, in which order.
#include "http/answer_queue.hpp"

#include <doctest/doctest.h>

#include <string>

namespace {

using namespace parcelflow;

http::response text(std::string body) {
  return {200, {}, std::move(body)};
}

std::string take(http::answer_queue& queue, bool last = false) {
  std::string out;
  queue.take_ready(out, last, "now");
  return out;
}

std::size_t count(const std::string& in, std::string_view what) {
  std::size_t found = 0;
  for (auto at = in.find(what); at != in.npos; at = in.find(what, at + 1))
    ++found;
  return found;
}

} // namespace

TEST_CASE("answers wait for those before them and leave joined") {
  http::answer_queue queue(4);
  const auto first = queue.open({});
  const auto second = queue.open({});
  CHECK(queue.fill(second, text("two")));
  CHECK(take(queue).empty());
  CHECK(queue.fill(first, text("one")));
  const auto out = take(queue);
  CHECK(out.find("\r\n\r\none") < out.find("\r\n\r\ntwo"));
  CHECK(count(out, "HTTP/1.1 200 OK\r\nDate: now\r\n") == 2);
}

TEST_CASE("an answer on its way still takes its slot") {
  http::answer_queue queue(2);
  const auto first = queue.open({});
  CHECK_FALSE(queue.full());
  queue.open({});
  CHECK(queue.full());
  queue.fill(first, text("one"));
  CHECK_FALSE(take(queue).empty());
  CHECK(queue.full()); // a client that does not read gets nothing in
  queue.written();
  CHECK_FALSE(queue.full());
  CHECK_FALSE(queue.empty());
}

TEST_CASE("a slot is filled once, and only while it is open") {
  http::answer_queue queue(2);
  const auto slot = queue.open({});
  CHECK_FALSE(queue.fill(slot + 1, text("never opened")));
  CHECK(queue.fill(slot, text("once")));
  CHECK_FALSE(queue.fill(slot, text("twice")));
  CHECK(count(take(queue), "once") == 1);
  queue.written();
  CHECK_FALSE(queue.fill(slot, text("late")));
  CHECK(queue.empty());
}

TEST_CASE("only the newest answer closes, and only as the last") {
  http::answer_queue queue(4);
  const auto first = queue.open({});
  const auto second = queue.open({});
  queue.fill(first, text(""));
  CHECK(count(take(queue, true), "Connection: close") == 0);
  queue.written();
  queue.fill(second, text(""));
  CHECK(count(take(queue, true), "Connection: close") == 1);
}
