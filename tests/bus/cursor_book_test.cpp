#include "bus/cursor_book.hpp"

#include <doctest/doctest.h>

#include <map>
#include <random>
#include <set>

using parcelflow::bus::cursor_book;
using parcelflow::bus::settlement;

TEST_CASE("a cursor is the gapless prefix of what was settled") {
  cursor_book book(10, 4);
  CHECK(book.next() == 11);
  book.hand_over(4);
  CHECK(book.settle(13, settlement::ack));
  CHECK(book.settle(12, settlement::ack));
  CHECK(book.settled_up_to() == 10);
  CHECK(book.settle(11, settlement::ack));
  CHECK(book.settled_up_to() == 13);
  CHECK(book.in_flight() == 1);
  CHECK(book.next() == 15);
}

TEST_CASE("credit is what may still be handed over") {
  cursor_book book(0, 3);
  CHECK(book.room() == 3);
  book.hand_over(2);
  CHECK(book.room() == 1);
  book.hand_over(1);
  CHECK(book.room() == 0);
  CHECK(book.settle(2, settlement::ack));
  CHECK(book.room() == 1);
}

TEST_CASE("settling what is not in flight changes nothing") {
  cursor_book book(5, 8);
  book.hand_over(2);
  for (const std::uint64_t wrong : {0, 5, 8, 9999})
    CHECK_FALSE(book.settle(wrong, settlement::ack));
  CHECK(book.settle(7, settlement::ack));
  CHECK_FALSE(book.settle(7, settlement::ack));
  CHECK_FALSE(book.settle(7, settlement::retry));
  CHECK(book.in_flight() == 1);
  CHECK(book.settled_up_to() == 5);
}

TEST_CASE("an event given back holds the cursor and waits for credit") {
  cursor_book book(0, 2);
  book.hand_over(2);
  CHECK(book.settle(1, settlement::retry));
  CHECK_FALSE(book.settle(1, settlement::ack));
  CHECK(book.settle(2, settlement::ack));
  CHECK(book.settled_up_to() == 0);
  CHECK(book.waiting_retry() == 1);
  book.hand_over(2);
  CHECK_FALSE(book.waiting_retry());
  CHECK(book.settle(3, settlement::ack));
  CHECK(book.waiting_retry() == 1);
  book.hand_over_retry();
  CHECK_FALSE(book.waiting_retry());
  CHECK(book.settle(1, settlement::ack));
  CHECK(book.settled_up_to() == 3);
}

TEST_CASE("one event that nobody settles bounds the window") {
  cursor_book book(0, cursor_book::window_max + 10);
  book.hand_over(cursor_book::window_max);
  for (std::uint64_t at = 2; at <= cursor_book::window_max; ++at)
    REQUIRE(book.settle(at, settlement::ack));
  CHECK(book.credit() > 0);
  CHECK(book.room() == 0);
  CHECK(book.settle(1, settlement::ack));
  CHECK(book.settled_up_to() == cursor_book::window_max);
  CHECK(book.room() == cursor_book::window_max);
}

// Against a model that keeps a set for each state.
TEST_CASE("any order of settles leaves the books right") {
  std::mt19937_64 random(20261130);
  for (int round = 0; round < 50; ++round) {
    const std::size_t in_flight_max = 1 + random() % 8;
    cursor_book book(0, in_flight_max);
    std::set<std::uint64_t> in_flight;
    std::set<std::uint64_t> acked;
    for (int i = 0; i < 400; ++i) {
      if (const auto again = book.waiting_retry(); again && random() % 2 == 0) {
        book.hand_over_retry();
        REQUIRE(in_flight.insert(*again).second);
      } else if (book.room() > 0 && random() % 2 == 0) {
        const auto count = 1 + random() % book.room();
        for (std::size_t n = 0; n < count; ++n)
          in_flight.insert(book.next() + n);
        book.hand_over(count);
      } else {
        const auto at = 1 + random() % (book.next() + 1);
        const auto how =
          random() % 3 == 0 ? settlement::retry : settlement::ack;
        const bool was = in_flight.erase(at) > 0;
        REQUIRE(book.settle(at, how) == was);
        if (was && how == settlement::ack)
          acked.insert(at);
      }
      std::uint64_t prefix = 0;
      while (acked.count(prefix + 1) > 0)
        ++prefix;
      REQUIRE(book.settled_up_to() == prefix);
      REQUIRE(book.in_flight() == in_flight.size());
      REQUIRE(in_flight.size() <= in_flight_max);
    }
  }
}
