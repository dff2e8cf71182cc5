// Each operation of a script on the disk fails once: refused, half written, or
// refused from then on. Whatever it was, the store is fail-stop, and when the
// disk is well again the next open has exactly what was acknowledged, plus at
// most the round whose outcome was left open; or it refuses by name.
//
// Every PARCELFLOW_FAULT_STRIDE-th operation; `scripts/campaign
// storage-faults` takes each.
#include "tests/storage/row_ledger.hpp"
#include "tests/support/faulty_file_system.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <iostream>

using namespace parcelflow;
using namespace parcelflow::storage;
using namespace parcelflow::test;
using domain::failure;

namespace {

constexpr std::uint64_t default_stride = 11;

std::uint64_t stride() {
  const char* told = std::getenv("PARCELFLOW_FAULT_STRIDE");
  const auto number = told == nullptr ? 0 : std::strtoull(told, nullptr, 10);
  return number == 0 ? default_stride : number;
}

/// A directory, its disk, and what was acknowledged there.
struct bench {
  temp_directory place;
  std::shared_ptr<faulty_file_system> disk =
    std::make_shared<faulty_file_system>();
  row_ledger ledger;

  [[nodiscard]] store_options options() const {
    auto of = options_for(place / "data");
    of.write_buffer_bytes = 64U << 10U;
    of.file_system = disk;
    return of;
  }
  /// Three sessions of ten rounds: a flush in each, tables enough to compact,
  /// and logs to recover at the next. Ends where the disk ends it.
  void run() {
    int number = 0;
    for (int session = 0; session < 3; ++session) {
      const auto vault = open_or_throw(options());
      auto orders = vault->take(owner::order);
      auto log = vault->take(owner::bus);
      for (int i = 0; i < 10; ++i) {
        ledger.write(*vault, orders, log, number++);
        if (i == 4 || i == 7)
          vault->flush();
      }
    }
  }
};

struct fault {
  const char* name;
  bool lasting;                      ///< all that follows fails, too
  std::size_t torn_bytes;            ///< of a refused append, written anyway
  bool (*hits)(const disk_request&); ///< which operations are counted
};

bool any_change(const disk_request& of) {
  return changes_disk(of.op);
}
bool any_append(const disk_request& of) {
  return of.op == disk_op::append;
}
bool any_read(const disk_request& of) {
  return of.op == disk_op::read;
}

/// Counts what the fault could hit; `at` = 0 hits nothing.
void arm(bench& to, const fault& of, std::uint64_t at,
         const std::shared_ptr<std::uint64_t>& seen) {
  to.disk->tear_appends(of.torn_bytes);
  to.disk->set_rule([of, at, seen](const disk_request& asked) {
    if (!of.hits(asked))
      return rocksdb::IOStatus::OK();
    *seen += 1;
    const bool hit = at != 0 && (of.lasting ? *seen >= at : *seen == at);
    return hit ? rocksdb::IOStatus::IOError("injected")
               : rocksdb::IOStatus::OK();
  });
}

void check_fault(const fault& of) {
  const auto operations = [&of] {
    bench calm;
    auto seen = std::make_shared<std::uint64_t>(0);
    arm(calm, of, 0, seen);
    calm.run();
    return *seen;
  }();
  REQUIRE(operations > 20);
  std::size_t stopped = 0;
  std::size_t refused = 0;
  for (std::uint64_t at = 1; at <= operations; at += stride()) {
    CAPTURE(at);
    bench ill;
    arm(ill, of, at, std::make_shared<std::uint64_t>(0));
    try {
      ill.run();
    } catch (const store_failed&) {
      stopped += 1;
    }
    ill.disk->heal();
    try {
      const auto vault = open_or_throw(ill.options());
      const auto wrong = ill.ledger.check(*vault);
      CHECK_MESSAGE(!wrong, *wrong);
    } catch (const store_failed& failed) {
      CAPTURE(failed.why.detail);
      CHECK(failed.why.code == failure::storage_corrupt);
      refused += 1;
    }
  }
  std::cout << of.name << ": " << operations << " operations, " << stopped
            << " stopped, " << refused << " refused afterwards\n";
  CHECK(stopped > 0);
}

} // namespace

TEST_CASE("one change of the disk fails") {
  check_fault({"a change, once", false, 0, any_change});
}

TEST_CASE("every change of the disk from some on fails") {
  check_fault({"changes from then on", true, 0, any_change});
}

TEST_CASE("one append is cut short") {
  check_fault({"a short append", false, 9, any_append});
}

TEST_CASE("one read fails") {
  check_fault({"a read, once", false, 0, any_read});
}
