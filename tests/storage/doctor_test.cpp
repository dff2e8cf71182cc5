// The doctor tells a torn tail from lost rows, changes nothing of what it is
// shown, and writes only what is whole.
#include "codec/event_json.hpp"
#include "storage/acked_mark.hpp"
#include "storage/doctor.hpp"
#include "storage/keys.hpp"
#include "storage/outbox.hpp"
#include "tests/storage/row_ledger.hpp"

#include <doctest/doctest.h>
#include <rocksdb/file_system.h>

using namespace parcelflow;
using namespace parcelflow::storage;
using namespace parcelflow::test;
using domain::failure;
namespace fs = std::filesystem;

namespace {

/// A closed store that was used, in a directory with room beside it. Its rows
/// are markers of clean stops, which owe nothing to other rows.
struct patient {
  temp_directory place;
  std::string directory = place / "data";
  ledger_rows rows;

  patient() { use(10); }

  void use(int rounds) {
    const auto vault = open_or_throw(options_for(directory));
    auto family = vault->take(owner::fulfillment);
    for (int i = 0; i < rounds; ++i) {
      const auto key = clean_stop_key("consumer" + std::to_string(i));
      const std::string clean("\1\0", 2); // record version, key id
      family.put(key, clean);
      rows[{owner::fulfillment, key}] = clean;
      commit(*vault, family);
    }
  }

  /// Examines, and not a byte differs afterwards, nor is anything left over.
  domain::outcome<diagnosis> examine(const std::string& repair_to = "") const {
    const auto before = contents(directory);
    doctor_options how;
    how.repair_to = repair_to;
    auto found = storage::examine(options_for(directory), how);
    CHECK(contents(directory) == before);
    for (const auto& entry : fs::directory_iterator(place.path()))
      CHECK((entry.path() == directory || entry.path() == repair_to));
    return found;
  }
  diagnosis must_examine(const std::string& repair_to = "") const {
    auto found = examine(repair_to);
    REQUIRE_MESSAGE(found.ok(), (found ? "" : found.why().detail));
    return *std::move(found);
  }
  [[nodiscard]] std::string mark() const { return directory + "/acked.mark"; }
  [[nodiscard]] fs::path log() const { return newest_log(directory); }
  void append_to_log(const std::string& bytes) const {
    write_bytes(log(), bytes_of(log()) + bytes);
  }
};

std::string outbox_of(const std::string& order) {
  domain::envelope about;
  about.event_id = "evt-" + order;
  about.event_type = "OrderAccepted";
  about.event_version = 1;
  about.tenant_id = "acme";
  about.aggregate_id = order;
  about.aggregate_sequence = 1;
  about.occurred_at = "2026-01-01T00:00:00.000Z";
  about.trace_id = "0123456789abcdef0123456789abcdef";
  about.data = "{}";
  const auto event = codec::make_event(std::move(about));
  return encode(outbox_row{"acme", event->digest, event->bytes});
}

std::string finding(const diagnosis& of) {
  return std::string(to_string(of.finding));
}

bool any_has(const std::vector<std::string>& lines, const std::string& part) {
  return std::any_of(lines.begin(), lines.end(), [&](const auto& line) {
    return line.find(part) != line.npos;
  });
}

} // namespace

TEST_CASE_FIXTURE(patient, "a whole store is whole") {
  const auto found = must_examine();
  CHECK(finding(found) == "whole");
  CHECK_FALSE(found.refusal);
  CHECK(found.recovered == found.acknowledged);
  CHECK(found.audit.clean());
  CHECK(found.audit.rows == rows.size());
}

TEST_CASE_FIXTURE(patient, "a torn tail is harmless, and repaired elsewhere") {
  // A record whose body never came, or came in part, as a power loss leaves it:
  // the header of the first one with other bytes behind it.
  const auto record = bytes_of(log()).substr(0, 40);
  for (const std::string& torn :
       {record.substr(0, 7) + std::string(500, 'y'),
        record.substr(0, 20) + std::string(4000, '\0')}) {
    const auto whole = bytes_of(log());
    append_to_log(torn);
    const auto why = refusal(options_for(directory));
    REQUIRE(why.code == failure::storage_corrupt); // the daemon says no
    CHECK(why.detail.find("parcelflow doctor") != why.detail.npos);
    const auto seen = must_examine();
    CHECK(finding(seen) == "torn_tail");
    CHECK(any_has(seen.dropped, ".log"));
    const auto target = place / "repaired";
    const auto found = must_examine(target);
    CHECK(finding(found) == "torn_tail");
    CHECK(found.repaired_to == target);
    {
      const auto vault = open_or_throw(options_for(target));
      CHECK_FALSE(difference(rows, rows_of(*vault)));
      auto family = vault->take(owner::bus);
      family.put("later", "v");
      commit(*vault, family);
    }
    fs::remove_all(target);
    write_bytes(log(), whole);
  }
}

TEST_CASE_FIXTURE(patient, "a log that lost its end misses rows") {
  const auto whole = bytes_of(log());
  const auto full = must_examine().recovered;
  for (const std::size_t cut : {1, 40, 200}) {
    write_bytes(log(), whole.substr(0, whole.size() - cut));
    const auto target = place / "repaired";
    const auto found = must_examine(target);
    CHECK(finding(found) == "rows_missing");
    CHECK(found.acknowledged == full);
    CHECK(*found.recovered < *full);
    CHECK(found.repaired_to.empty());
    CHECK_FALSE(fs::exists(target));
  }
}

// The mark's last second may be gone as well; then the log is the witness.
// Behind damage it is read again from its next block of 32 KiB.
TEST_CASE_FIXTURE(patient, "rounds behind the damage betray what it took") {
  std::string early_mark;
  {
    const auto vault = open_or_throw(options_for(directory));
    early_mark = bytes_of(mark());
    auto filler = vault->take(owner::bus);
    for (int i = 0; i < 8; ++i) {
      filler.put("big", std::string(9000, 'b'));
      commit(*vault, filler);
    }
    auto orders = vault->take(owner::order);
    orders.put(outbox_key(the_lane, 1), outbox_of("ord-lost"));
    commit(*vault, orders);
  }
  auto bytes = bytes_of(log());
  REQUIRE(bytes.size() > 72000);
  bytes[10000] = static_cast<char>(bytes[10000] ^ 1);
  write_bytes(log(), bytes);
  write_bytes(mark(), early_mark);
  const auto found = must_examine(place / "repaired");
  CHECK(finding(found) == "rows_missing");
  CHECK(*found.recovered >= *found.acknowledged); // the mark knows nothing
  CHECK(found.seen_in_log > *found.recovered);
  REQUIRE(found.lost_events == 1);
  CHECK(found.lost.front().order_id == "ord-lost");
  CHECK(found.lost.front().tenant_id == "acme");
  CHECK(found.lost.front().event_type == "OrderAccepted");
  CHECK(found.lost.front().position == 1);
}

TEST_CASE_FIXTURE(patient, "damaged files are named") {
  {
    const auto vault = open_or_throw(options_for(directory));
    vault->flush();
  }
  for (const auto& entry : fs::directory_iterator(directory + "/store")) {
    const auto& file = entry.path();
    const auto name = file.filename().string();
    if (!name.ends_with(".sst") && !name.starts_with("MANIFEST")
        && name != "CURRENT")
      continue;
    CAPTURE(name);
    const auto whole = bytes_of(file);
    auto flipped = whole;
    flipped[5] = static_cast<char>(flipped[5] ^ 1);
    write_bytes(file, flipped);
    auto found = must_examine(place / "repaired");
    CHECK(finding(found) == "damaged");
    CHECK(any_has(found.damage, name == "CURRENT" ? "CURRENT" : name));
    fs::remove(file);
    found = must_examine(place / "repaired");
    CHECK(finding(found) == "damaged");
    CAPTURE(found.damage.front());
    CHECK(any_has(found.damage, name == "CURRENT" ? "CURRENT" : name));
    CHECK_FALSE(fs::exists(place / "repaired"));
    write_bytes(file, whole);
  }
  CHECK(finding(must_examine()) == "whole");
}

TEST_CASE_FIXTURE(patient, "a mark that cannot be read is damage") {
  for (const auto& bytes : {std::string("short"), std::string(552, 'x')}) {
    write_bytes(mark(), bytes);
    const auto found = must_examine();
    CHECK(finding(found) == "damaged");
    CHECK(any_has(found.damage, "acked.mark"));
  }
  fs::remove(mark());
  CHECK(any_has(must_examine().damage, "acked.mark"));
}

TEST_CASE_FIXTURE(patient, "rows that contradict each other are no store") {
  {
    const auto vault = open_or_throw(options_for(directory));
    auto family = vault->take(owner::relay);
    family.put(relay_cursor_key(the_lane),
               std::string("\1\0", 2) + outbox_key(the_lane, 7));
    commit(*vault, family);
  }
  append_to_log(std::string(100, 'x'));
  const auto found = must_examine(place / "repaired");
  CHECK(finding(found) == "contradictory");
  REQUIRE_FALSE(found.audit.findings.empty());
  CHECK(found.audit.findings.front().row.family == "relay");
  CHECK(found.repaired_to.empty());
}

TEST_CASE_FIXTURE(patient, "what cannot be examined is refused by name") {
  {
    const auto vault = open_or_throw(options_for(directory));
    const auto held = storage::examine(options_for(directory), {});
    REQUIRE_FALSE(held.ok());
    CHECK(held.why().code == failure::storage_locked);
  }
  doctor_options taken_place;
  taken_place.repair_to = place.path();
  const auto taken = storage::examine(options_for(directory), taken_place);
  REQUIRE_FALSE(taken.ok());
  CHECK(taken.why().code == failure::invalid_request);
  const auto none = storage::examine(options_for(place / "nowhere"), {});
  REQUIRE_FALSE(none.ok());
  CHECK(none.why().code == failure::not_found);
  CHECK_FALSE(fs::exists(place / "nowhere"));
}
