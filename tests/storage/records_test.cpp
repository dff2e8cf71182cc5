// Records of a consumer's rows: they come back as they were written; what names
// no state, or holds a digest of another length, is refused.
#include "storage/consumer_store.hpp"
#include "support/record.hpp"

#include <doctest/doctest.h>

using namespace parcelflow;
using namespace parcelflow::storage;

namespace {

room_row sample_room() {
  room_row row;
  row.mode = room_mode::quarantined;
  row.topic = "order.events";
  row.event_id = "e-1";
  row.digest.fill(0xAB);
  row.bytes = "{}";
  row.attempts = {{1, "sick"}};
  row.next_at = 2;
  row.received_at = 3;
  row.dead_letter_id = "dl-1";
  return row;
}

tell_row sample_tell() {
  domain::dead_letter letter;
  letter.tenant_id = "tn-a";
  letter.dead_letter_id = "dl-1";
  letter.steps = {{domain::dead_letter_state::open, "system", "GAP", 1}};
  letter.payload = "as received";
  tell_row row;
  row.opened = letter;
  row.closed = {domain::dead_letter_state::resolved, "system", "drained", 2};
  return row;
}

domain::outcome<tell_row> decode_sample(std::string_view bytes) {
  return decode_tell("tn-a", "dl-1", bytes);
}

} // namespace

TEST_CASE("a row of the waiting room comes back whole or not at all") {
  auto row = sample_room();
  const auto bytes = encode(row);
  CHECK(*decode_room(bytes) == row);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    CHECK_FALSE(decode_room(bytes.substr(0, size)).ok());
  CHECK_FALSE(decode_room(bytes + "x").ok());
  for (const int mode : {0, static_cast<int>(room_mode::quarantined) + 1}) {
    row.mode = static_cast<room_mode>(mode);
    CHECK(decode_room(encode(row)).why().code
          == domain::failure::storage_corrupt);
  }
  auto shorter = bytes;
  const auto digest = shorter.find(std::string(32, '\xAB'));
  REQUIRE(digest != std::string::npos);
  shorter.erase(digest, 1);
  shorter[digest - 1] = '\x1F';
  CHECK_FALSE(decode_room(shorter).ok());
}

TEST_CASE("what is to be told comes back whole or not at all") {
  auto row = sample_tell();
  const auto bytes = encode(row);
  CHECK(*decode_sample(bytes) == row);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    CHECK_FALSE(decode_sample(bytes.substr(0, size)).ok());
  CHECK_FALSE(decode_sample(bytes + "x").ok());
  row.closed->to = static_cast<domain::dead_letter_state>(5);
  CHECK_FALSE(decode_sample(encode(row)).ok());
  row = sample_tell();
  row.opened->cause = static_cast<domain::dead_letter_cause>(0);
  CHECK_FALSE(decode_sample(encode(row)).ok());
}

TEST_CASE("a flag is 0 or 1, and a short number fits") {
  const auto flag = [](std::uint64_t value) {
    const auto bytes = support::record_writer(1).u64(value).take();
    support::record_reader in(bytes, 1);
    (void)in.flag();
    return in.complete();
  };
  CHECK(flag(0));
  CHECK(flag(1));
  CHECK_FALSE(flag(2));
  const auto u32 = [](std::uint64_t value) {
    const auto bytes = support::record_writer(1).u64(value).take();
    support::record_reader in(bytes, 1);
    return in.u32() == value && in.complete();
  };
  CHECK(u32(UINT32_MAX));
  CHECK_FALSE(u32(1ULL << 32U));
}
