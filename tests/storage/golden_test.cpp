// The bytes of the formats, pinned. A test here that fails means that stores
// in the field cannot be read any more: give the record a new version (and the
// kind a new number, if its key changed) instead of new bytes. Each value is
// written, compared, read back. docs/STORAGE_FORMAT.md is the prose.
#include "domain/order.hpp"
#include "storage/acked_mark.hpp"
#include "storage/consumer_store.hpp"
#include "storage/keys.hpp"
#include "support/record.hpp"
#include "tests/storage/store_fixture.hpp"

#include <doctest/doctest.h>
#include <rocksdb/file_system.h>

using namespace parcelflow;
using namespace parcelflow::storage;
using namespace std::string_literals;

namespace {

std::string hex(std::string_view bytes) {
  static const char* const digits = "0123456789abcdef";
  std::string text;
  for (const char byte : bytes) {
    text.push_back(digits[static_cast<std::uint8_t>(byte) >> 4U]);
    text.push_back(digits[static_cast<std::uint8_t>(byte) & 15U]);
  }
  return text;
}

} // namespace

TEST_CASE("golden: keys of the order owner") {
  CHECK(hex(key_writer(kind::format).take()) == "01");
  CHECK(hex(order_key("acme", "o1")) == "1061636d6500016f310001");
  CHECK(hex(order_key("a\0b"s, "\xFF")) == "106100ff620001ff0001");
  CHECK(hex(idempotency_key("acme", "k1")) == "1161636d6500016b310001");
  CHECK(hex(outbox_key(0, 0x0102)) == "12000000000000000102");
  CHECK(hex(named_event_key("acme", "e1")) == "1361636d65000165310001");
}

TEST_CASE("golden: keys of inventory and relay") {
  CHECK(hex(stock_key("acme", "sku")) == "2061636d650001736b750001");
  CHECK(hex(reservation_key("acme", "r1")) == "2161636d65000172310001");
  CHECK(hex(held_chunk_key(3)) == "220000000000000003");
  CHECK(hex(relay_cursor_key(0)) == "3000");
  CHECK(hex(receipt_run_key(0, 7)) == "31000000000000000007");
  CHECK(hex(receipt_single_key(0, 7, 2))
        == "320000000000000000070000000000000002");
  CHECK(hex(held_stream_key("acme", "o1")) == "3361636d6500016f310001");
  // Its key is spelled where its row is written.
  CHECK(static_cast<int>(kind::publish_to_tell) == 0x34);
}

TEST_CASE("golden: keys of every consumer") {
  CHECK(hex(stream_key("acme", "f", "o1")) == "4061636d6500016600016f310001");
  CHECK(hex(inbox_entry_key("acme", "f", "o1", 2))
        == "4161636d6500016600016f3100010000000000000002");
  CHECK(hex(foreign_event_key("acme", "f", "e1"))
        == "4261636d65000166000165310001");
  CHECK(hex(waiting_room_key("acme", "f", "o1", 2))
        == "4361636d6500016600016f3100010000000000000002");
  CHECK(hex(waiting_stream_key("acme", "f", "o1"))
        == "4461636d6500016600016f310001");
  CHECK(hex(aside_key("acme", "d1")) == "4561636d65000164310001");
  CHECK(hex(to_tell_key("acme", "d1")) == "4661636d65000164310001");
  CHECK(hex(clean_stop_key("f")) == "47660001");
}

TEST_CASE("golden: keys of dead letters and bus") {
  CHECK(hex(dead_letter_key("acme", "d1")) == "5061636d65000164310001");
  CHECK(hex(payload_key("acme", "d1")) == "5161636d65000164310001");
  CHECK(hex(dead_letter_order_key("acme", "o1", "d1"))
        == "5261636d6500016f31000164310001");
  CHECK(static_cast<int>(kind::operator_log) == 0x53);
  CHECK(hex(topic_log_key("orders", 9))
        == "606f726465727300010000000000000009");
  CHECK(hex(topic_cursor_key("orders", "f")) == "616f72646572730001660001");
}

TEST_CASE("golden: keys of what responders do") {
  CHECK(hex(skip_key("acme", "f", "o1", 2))
        == "4861636d6500016600016f3100010000000000000002");
  CHECK(hex(history_key("f")) == "49660001");
  CHECK(hex(operator_log_key(7)) == "530000000000000007");
  CHECK(hex(replay_key("acme", "r1")) == "5461636d65000172310001");
  CHECK(hex(replay_item_key("acme", "r1", 3))
        == "5561636d650001723100010000000000000003");
  CHECK(hex(open_replay_key("acme", "d1")) == "5661636d65000164310001");
  CHECK(hex(pause_key(4, "acme", "f", "o1"))
        == "5761636d6500016600016f31000104");
  CHECK(hex(letter_counts_key("acme")) == "5861636d650001");
  CHECK(hex(letter_time_key("acme", 258, "d1"))
        == "5961636d650001000000000000010264310001");
}

TEST_CASE("golden: a record and its header") {
  support::record_writer out(3);
  out.u64(0).u64(127).u64(128).u64(~0ULL).i64(0).i64(-1).i64(1);
  out.i64(INT64_MIN).text("").text("h\xC3\xA9\0"s).flag(true);
  const auto bytes = out.take();
  CHECK(hex(bytes)
        == "0300" // version, key id
           "007f8001ffffffffffffffffff01"
           "000102ffffffffffffffffff01"
           "000468c3a90001");
  support::record_reader in(bytes, 3);
  CHECK(in.u64() == 0);
  CHECK(in.u64() == 127);
  CHECK(in.u64() == 128);
  CHECK(in.u64() == ~0ULL);
  CHECK(in.i64() == 0);
  CHECK(in.i64() == -1);
  CHECK(in.i64() == 1);
  CHECK(in.i64() == INT64_MIN);
  CHECK(in.text().empty());
  CHECK(in.text() == "h\xC3\xA9\0"s);
  CHECK(in.flag());
  CHECK(in.complete());
  CHECK(!support::record_reader(bytes, 2).ok());       // a newer version
  CHECK(!support::record_reader("\x03\x01"s, 3).ok()); // a foreign key id
  CHECK(!support::record_reader("\0\0"s, 3).ok());     // version zero
}

TEST_CASE("golden: where a foreign event id was used") {
  const domain::event_place place{"o1", 300};
  const auto bytes = encode(place);
  CHECK(hex(bytes) == "0100026f31ac02"); // version, key id, aggregate, sequence
  CHECK(*decode_place(bytes) == place);
  CHECK_FALSE(decode_place(bytes + "x").ok());
  for (std::size_t size = 0; size < bytes.size(); ++size)
    CHECK_FALSE(decode_place(bytes.substr(0, size)).ok());
}

TEST_CASE("golden: an order") {
  domain::order of;
  of.tenant_id = "acme";
  of.order_id = "o1";
  of.idempotency_key = "k1";
  of.fingerprint.fill(0xAB);
  of.reservation_id = "r1";
  of.authorization = {"p1", 1250, 1000, 0};
  of.lines = {{"sku", 2, 625}};
  of.currency = "EUR";
  of.total_minor = 1250;
  of.customer_reference = "ref";
  of.trace_id = "t";
  of.traceparent = "";
  of.accepted_version = 1;
  of.steps = {{domain::order_state::accepted, 1, 5, 1000},
              {domain::order_state::cancelled, 2, 300, 2000}};
  const auto bytes = domain::encode(of);
  std::string fingerprint;
  for (int i = 0; i < 32; ++i)
    fingerprint += "ab";
  CHECK(hex(bytes)
        == "0100"
           "026b31" // idempotency key
           "20"
             + fingerprint
             + "027231"           // reservation
               "027031c413d00f00" // authorization: id, amount, at, voided at
               "03455552c413"     // currency, total
               "03726566"         // customer reference
               "017400"           // trace id, traceparent
               "01"               // version of its OrderAccepted
               "0103736b7504e209" // lines: sku, quantity, unit price
               "02010105d00f"     // steps: state, sequence, position, at
               "0302ac02a01f");
  const auto read = domain::decode_order("acme", "o1", bytes);
  REQUIRE(read.ok());
  CHECK(*read == of);
  CHECK(!domain::decode_order("acme", "o1", bytes + "x").ok());
  for (std::size_t size = 0; size < bytes.size(); ++size)
    CHECK(!domain::decode_order("acme", "o1", bytes.substr(0, size)).ok());
}

TEST_CASE("golden: an order with an event of another name") {
  domain::order of;
  of.order_id = "o1";
  of.steps = {{domain::order_state::accepted, 1, 5, 1000, "e1"},
              {domain::order_state::cancelled, 2, 300, 2000}};
  const auto bytes = domain::encode(of);
  CHECK(hex(bytes).substr(0, 4) == "0200");
  CHECK(hex(bytes).ends_with("02010105d00f026531" // the id after its step
                             "0302ac02a01f00"));  // named after the order
  CHECK(*domain::decode_order("", "o1", bytes) == of);
  CHECK(!domain::decode_order("", "o1", bytes + "x").ok());
  for (std::size_t size = 0; size < bytes.size(); ++size)
    CHECK(!domain::decode_order("", "o1", bytes.substr(0, size)).ok());
}

TEST_CASE("golden: acked.mark") {
  const test::temp_directory place;
  const auto disk = rocksdb::FileSystem::Default();
  const auto path = place / "acked.mark";
  REQUIRE(acked_mark::create(*disk, path).ok());
  const std::string zero = std::string(64, '0') + "a5f58a4d7810820c";
  const std::string gap((512 - 40) * 2, '0');
  CHECK(hex(test::bytes_of(path)).size() == 2 * 552);
  {
    auto mark = acked_mark::open(*disk, path);
    REQUIRE(mark.ok());
    CHECK((*mark)->position().sequence == 0);
    REQUIRE((*mark)->advance({4, 0x0102, {7, 0x0900}}, true).ok());
    REQUIRE((*mark)->advance({4, 0x0101, {8, 1}}, true).ok()); // never back
    REQUIRE((*mark)->advance({4, 0x0102, {7, 0x0100}}, true).ok());
    CHECK((*mark)->position().sequence == 0x0102);
    CHECK((*mark)->position().manifest == manifest_place{7, 0x0900});
  }
  CHECK(hex(test::bytes_of(path))
        == zero + gap
             + "04000000000000000201000000000000"
               "07000000000000000009000000000000"
               "dcf622b207617604");
  auto mark = acked_mark::open(*disk, path);
  REQUIRE(mark.ok());
  CHECK((*mark)->position().wal_number == 4);
  CHECK((*mark)->position().sequence == 0x0102);
  CHECK((*mark)->position().manifest == manifest_place{7, 0x0900});
  // The slot that was synced last is not the one that is written next.
  REQUIRE((*mark)->advance({5, 0x0103}, false).ok());
  REQUIRE((*mark)->advance({5, 0x0104}, false).ok());
  const auto both = hex(test::bytes_of(path));
  CHECK(both.substr(2 * 512, 32) == "04000000000000000201000000000000");
  CHECK(both.substr(0, 32) == "05000000000000000401000000000000");
}

TEST_CASE("golden: an acked.mark from before it knew of the MANIFEST") {
  const test::temp_directory place;
  const auto disk = rocksdb::FileSystem::Default();
  const auto path = place / "acked.mark";
  const auto slot = "\x04\0\0\0\0\0\0\0\x02\x01\0\0\0\0\0\0"
                    "\xc8\xc4\xb5\xd8\x20\xdb\xca\xc4"s;
  test::write_bytes(path, slot + std::string(512 - 24, '\0') + slot);
  auto mark = acked_mark::open(*disk, path);
  REQUIRE(mark.ok());
  CHECK((*mark)->position().sequence == 0x0102);
  CHECK((*mark)->position().manifest == manifest_place{});
  for (std::uint64_t next = 0x0103; next < 0x0106; ++next) {
    REQUIRE((*mark)->advance({5, next, {7, 1}}, true).ok());
    const auto read = acked_mark::read(*disk, path);
    REQUIRE(read.ok());
    CHECK(read->sequence == next);
    CHECK(read->manifest == manifest_place{7, 1});
  }
  CHECK(test::bytes_of(path).size() == 552);
}

TEST_CASE("golden: the format row") {
  const test::temp_directory place;
  std::string id;
  {
    const auto vault = test::open_or_throw(test::options_for(place.path()));
    id = vault->identity().store_id;
  }
  // In the log as it was written: version, lanes, id; the time follows.
  const auto log = test::bytes_of(test::newest_log(place.path()));
  CHECK(log.find("\x01\0\x03\x01\x1A"s + id) != std::string::npos);
}
