// The bytes on disk, pinned: a change here is a new record version.
#include "bus/log_bus_rows.hpp"
#include "storage/keys.hpp"
#include "support/digest.hpp"
#include "tests/bus/samples.hpp"

#include <doctest/doctest.h>

namespace bus = parcelflow::bus;
namespace storage = parcelflow::storage;
namespace domain = parcelflow::domain;
using namespace std::string_literals;

namespace {

bus::offered plain(std::string bytes, std::uint32_t offer) {
  return {std::make_shared<const domain::event>(
            domain::event{{}, std::move(bytes), {}}),
          offer};
}

} // namespace

TEST_CASE("the row of a published batch is pinned") {
  // version 1, key id 0; first 300 = AC 02; count 2; offer 0, "ab"; offer 3, ""
  CHECK(bus::encode_log_row(300, {plain("ab", 0), plain("", 3)})
        == "\x01\x00\xAC\x02\x02\x00\x02"s + "ab"s + "\x03\x00"s);
  CHECK(storage::topic_log_key("t", 301)
        == "\x60t\x00\x01\x00\x00\x00\x00\x00\x00\x01\x2D"s);
}

TEST_CASE("the row of a cursor is pinned") {
  CHECK(bus::encode_log_cursor(300) == "\x01\x00\xAC\x02"s);
  CHECK(storage::topic_cursor_key("t", "c") == "\x61t\x00\x01"s + "c\x00\x01"s);
}

TEST_CASE("rows come back as they were written") {
  CHECK(bus::decode_log_cursor(bus::encode_log_cursor(300)) == 300);
  CHECK_FALSE(bus::decode_log_cursor("\x02\x00\x01"s));
  CHECK_FALSE(bus::decode_log_cursor("\x01\x00\x01\x01"s));
  CHECK_FALSE(bus::decode_log_cursor(""));

  const auto row =
    bus::encode_log_row(5, parcelflow::test::sample_batch("ord-1", 1, 4));
  CHECK(bus::first_in_log_row(row, 8) == 5);
  CHECK_FALSE(bus::first_in_log_row(row, 9));
  bus::delivery_batch out;
  CHECK(bus::read_log_row(row, 8, {6, 2, "t"}, out) == 2);
  REQUIRE(out.size() == 2);
  CHECK(parcelflow::test::name_of(out[0]) == "ord-1/2");
  CHECK(out[0].token == 6);
  CHECK(out[1].token == 7);
  CHECK(bus::read_log_row(row, 8, {4, 2, "t"}, out) == 0);
  CHECK(out.size() == 2);
}

TEST_CASE("every position of a row cut short is delivered") {
  const auto row =
    bus::encode_log_row(1, parcelflow::test::sample_batch("ord-1", 1, 3));
  for (std::size_t size = 0; size < row.size(); ++size) {
    bus::delivery_batch out;
    const auto cut = row.substr(0, size);
    REQUIRE(bus::read_log_row(cut, 3, {1, 10, "t"}, out) == 3);
    REQUIRE(out.size() == 3);
    CHECK(out[2].event == nullptr);
    CHECK(*out[2].raw == cut);
    CHECK(out[2].why.code == domain::failure::storage_corrupt);
    for (std::uint64_t i = 0; i < 3; ++i)
      CHECK(out[i].token == i + 1);
  }
}
