#include "storage/keys.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

using namespace parcelflow::storage;
using namespace std::string_literals;

namespace {

std::vector<std::string> hostile_ids() {
  return {""s,
          "\0"s,
          "\0\0"s,
          "\xFF"s,
          "\xFF\xFF"s,
          "\0\x01"s,
          "\0\xFF"s,
          "\0\xFF\0\x01"s,
          "\x01"s,
          "\x01\0"s,
          "a"s,
          "a\0"s,
          "a\0\x01"s,
          "a\0\xFF"s,
          "a\x01"s,
          "ab"s,
          "a/b"s,
          "a:b"s,
          "a b"s,
          "A"s,
          "\x7F\x80"s,
          "M\xC3\xBCller"s,
          "\xE6\xB3\xA8\xE6\x96\x87"s,
          std::string(255, 'x'),
          std::string(255, '\0'),
          std::string(255, '\xFF'),
          std::string(18, '\0')};
}

/// Short and out of few letters, so that pairs share prefixes.
std::string random_id(std::mt19937& random) {
  static const std::string letters("\0\x01\xFE\xFF"
                                   "ab",
                                   6);
  std::string id(random() % 6, '\0');
  for (auto& letter : id)
    letter = letters[random() % letters.size()];
  return id;
}

std::string text_key(const std::string& a) {
  return key_writer(kind::order).text(a).take();
}
std::string text_key(const std::string& a, const std::string& b) {
  return key_writer(kind::order).text(a).text(b).take();
}

std::string hex(std::string_view bytes) {
  static const char* const digits = "0123456789abcdef";
  std::string text;
  for (const char byte : bytes) {
    text.push_back(digits[static_cast<std::uint8_t>(byte) >> 4U]);
    text.push_back(digits[static_cast<std::uint8_t>(byte) & 15U]);
  }
  return text;
}

void check_pair(const std::string& a, const std::string& b) {
  const auto left = text_key(a);
  const auto right = text_key(b);
  CAPTURE(hex(a));
  CAPTURE(hex(b));
  REQUIRE((left < right) == (a < b));
  REQUIRE((left == right) == (a == b));
  REQUIRE((a == b || !right.starts_with(left)));
}

/// Every key function once, with the number of its kind.
std::vector<std::pair<kind, std::string>> one_of_each() {
  return {{kind::order, order_key("t", "o")},
          {kind::idempotency_key, idempotency_key("t", "k")},
          {kind::outbox, outbox_key(0, 258)},
          {kind::named_event, named_event_key("t", "e")},
          {kind::stock, stock_key("t", "s")},
          {kind::reservation, reservation_key("t", "r")},
          {kind::held_chunk, held_chunk_key(7)},
          {kind::relay_cursor, relay_cursor_key(0)},
          {kind::receipt_run, receipt_run_key(0, 9)},
          {kind::receipt_single, receipt_single_key(0, 9, 1)},
          {kind::held_stream, held_stream_key("t", "a")},
          {kind::stream, stream_key("t", "c", "a")},
          {kind::inbox_entry, inbox_entry_key("t", "c", "a", 3)},
          {kind::foreign_event, foreign_event_key("t", "c", "e")},
          {kind::waiting_room, waiting_room_key("t", "c", "a", 3)},
          {kind::waiting_stream, waiting_stream_key("t", "c", "a")},
          {kind::aside, aside_key("t", "d")},
          {kind::to_tell, to_tell_key("t", "d")},
          {kind::clean_stop, clean_stop_key("c")},
          {kind::dead_letter, dead_letter_key("t", "d")},
          {kind::payload, payload_key("t", "d")},
          {kind::dead_letter_order, dead_letter_order_key("t", "a", "d")},
          {kind::letter_time, letter_time_key("t", 5, "d")},
          {kind::topic_log, topic_log_key("p", 4)},
          {kind::topic_cursor, topic_cursor_key("p", "c")}};
}

} // namespace

TEST_CASE("text keeps its order and no key is another's prefix") {
  for (const auto& a : hostile_ids())
    for (const auto& b : hostile_ids())
      check_pair(a, b);
  std::mt19937 random(1);
  for (int i = 0; i < 5000; ++i)
    check_pair(random_id(random), random_id(random));
}

TEST_CASE("two components order as the pair of them does") {
  const auto ids = hostile_ids();
  std::mt19937 random(2);
  for (int i = 0; i < 5000; ++i) {
    const auto a = std::pair(random_id(random), ids[random() % ids.size()]);
    const auto b = std::pair(random_id(random), random_id(random));
    const auto left = text_key(a.first, a.second);
    const auto right = text_key(b.first, b.second);
    REQUIRE((left < right) == (a < b));
    REQUIRE((left == right) == (a == b));
    REQUIRE((a == b || !right.starts_with(left)));
  }
}

TEST_CASE("what was written is read back, and nothing else is left") {
  auto ids = hostile_ids();
  std::mt19937 random(3);
  for (int i = 0; i < 3000; ++i)
    ids.push_back(random_id(random));
  for (const auto& id : ids) {
    const std::uint64_t number = random() * 0x100000001ULL;
    const auto key = inbox_entry_key(id, "c", id, number);
    key_reader in(key);
    REQUIRE(in.kind_byte() == 0x41);
    REQUIRE(in.text() == id);
    REQUIRE(in.text() == "c");
    REQUIRE(in.text() == id);
    REQUIRE(!in.complete());
    REQUIRE(in.number() == number);
    REQUIRE(in.complete());
  }
}

TEST_CASE("numbers keep their order") {
  std::vector<std::uint64_t> numbers{0,     1,           255,       256,
                                     65535, 1ULL << 32U, ~0ULL - 1, ~0ULL};
  for (const auto a : numbers)
    for (const auto b : numbers)
      REQUIRE((outbox_key(0, a) < outbox_key(0, b)) == (a < b));
}

TEST_CASE("a key that is cut, spoiled or too long is not complete") {
  const auto key = inbox_entry_key("t\0x"s, "c", "a", 5);
  const auto parses = [](std::string_view bytes) {
    key_reader in(bytes);
    in.text();
    in.text();
    in.text();
    in.number();
    return in.complete();
  };
  REQUIRE(parses(key));
  for (std::size_t size = 0; size < key.size(); ++size)
    REQUIRE(!parses(std::string_view(key).substr(0, size)));
  REQUIRE(!parses(key + "x"));
  key_reader spoiled("\x10"
                     "a\0\x02"
                     "b\0\x01"s);
  REQUIRE(spoiled.text().empty());
  REQUIRE(!spoiled.complete());
}

TEST_CASE("the end of a prefix lies behind all that begins with it") {
  REQUIRE(prefix_end("a") == "b");
  REQUIRE(prefix_end("a\xFF\xFF"s) == "b");
  REQUIRE(prefix_end("\xFF") == "");
  for (const auto& id : hostile_ids()) {
    const auto prefix = text_key("t");
    REQUIRE(text_key("t", id) < prefix_end(prefix));
    REQUIRE(text_key("t\0"s, id) > prefix_end(prefix));
  }
}

TEST_CASE("every kind has one number, and its keys begin with it") {
  std::set<std::uint8_t> used;
  for (const auto& [of, key] : one_of_each()) {
    REQUIRE(key_reader(key).kind_byte() == static_cast<std::uint8_t>(of));
    REQUIRE(used.insert(static_cast<std::uint8_t>(of)).second);
  }
  REQUIRE(used.count(static_cast<std::uint8_t>(kind::format)) == 0);
  REQUIRE(used.count(static_cast<std::uint8_t>(kind::operator_log)) == 0);
}

TEST_CASE("hints stand for kind and tenant, for kind alone in logs") {
  const std::set<kind> random{kind::idempotency_key, kind::named_event,
                              kind::foreign_event, kind::aside, kind::to_tell};
  const std::set<kind> logs{kind::outbox,      kind::relay_cursor,
                            kind::receipt_run, kind::receipt_single,
                            kind::held_chunk,  kind::topic_log,
                            kind::topic_cursor};
  for (const auto& [of, key] : one_of_each()) {
    const auto bytes = hex(key);
    CAPTURE(bytes);
    const std::size_t expected = random.count(of) != 0 ? 0
                                 : logs.count(of) != 0 ? 1
                                                       : 4; // kind, 't', end
    REQUIRE(hint_prefix_size(key) == expected);
  }
  REQUIRE(hint_prefix_size("") == 0);
  REQUIRE(hint_prefix_size(order_key("t\0\x01u"s, "o")) == 8);
}

TEST_CASE("no row's key ends like the start of a range tombstone") {
  const auto last = receipt_single_key(0, 0, 0); // the most zeros of all
  REQUIRE(hint_prefix_size(last) == 1);
  REQUIRE(hint_prefix_size(last + std::string(hintless_zeros, '\0')) == 0);
  for (const auto& id : hostile_ids())
    REQUIRE(hint_prefix_size(inbox_entry_key(id, id, id, 0)) > 0);
}
