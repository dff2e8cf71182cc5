// `parcelflow doctor` over what a killed daemon left, by its exit codes.
#include "tests/storage/store_fixture.hpp"
#include "tests/support/process.hpp"

#include <doctest/doctest.h>

using namespace parcelflow;
using test::arguments;
using test::exited;

namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// A daemon that took an order and was killed.
class killed_directory {
public:
  killed_directory() : daemon(files / "data", "dev") {
    const auto token = daemon.token("tn-a");
    daemon.start();
    REQUIRE(
      daemon.ask("PUT", "/v1/inventory/sku-1", token, R"({"onHand":9})").status
      == 200);
    const auto placed = daemon.ask("POST", "/v1/orders", token,
                                   R"({"lines":[{"sku":"sku-1","quantity":2,)"
                                   R"("unitPriceMinor":100}],"currency":"EUR",)"
                                   R"("paymentToken":"tok_ok"})",
                                   {"Idempotency-Key: k-1"});
    REQUIRE_MESSAGE(placed.status == 201, placed.body);
  }

  [[nodiscard]] test::command_result doctor(const arguments& flags = {}) const {
    arguments with{"doctor", "--data-dir", daemon.directory()};
    with.insert(with.end(), flags.begin(), flags.end());
    const auto before = test::contents(daemon.directory());
    auto result = test::parcelflow(with);
    CHECK(test::contents(daemon.directory()) == before);
    return result;
  }
  [[nodiscard]] std::filesystem::path log() const {
    return test::newest_log(daemon.directory());
  }

  test::temp_directory files;
  test::daemon_process daemon;
};

} // namespace

TEST_CASE("a torn tail is told, repaired elsewhere, and audits clean there") {
  killed_directory at;
  CHECK(test::parcelflow({"doctor", "--data-dir", at.daemon.directory()}).end
        == exited(75)); // the daemon holds it
  at.daemon.kill();
  const auto whole = at.doctor();
  CHECK_MESSAGE(whole.end == exited(0), (whole.out + whole.err));
  CHECK(has(whole.out, "start the daemon"));

  // A record whose header came and whose body did not.
  const auto sound = test::bytes_of(at.log());
  test::write_bytes(at.log(),
                    sound + sound.substr(0, 7) + std::string(9000, '\0'));
  const auto check =
    test::parcelflow({"check", "--data.directory=" + at.daemon.directory()});
  CHECK(check.end == exited(74));
  CHECK(
    has(check.err, "parcelflow doctor --data-dir " + at.daemon.directory()));
  const auto told = at.doctor();
  CHECK(told.end == exited(65));
  CHECK(has(told.out, "a harmless torn tail"));
  CHECK(has(told.out, "--repair-to"));

  const auto target = at.files / "repaired";
  const auto done = at.doctor({"--repair-to", target, "--json"});
  CHECK_MESSAGE(done.end == exited(0), (done.out + done.err));
  CHECK(has(done.out, R"("finding":"torn_tail")"));
  CHECK(has(done.out, R"("refusal":"storage_corrupt")"));
  CHECK(has(done.out, R"("clean":true)"));
  const auto audit = test::parcelflow({"audit", "--data-dir", target});
  CHECK_MESSAGE(audit.end == exited(0), (audit.out + audit.err));
  CHECK(at.doctor({"--repair-to", target}).end == exited(64)); // it is there
  CHECK(test::parcelflow({"check", "--data.directory=" + target}).end
        == exited(0));
}

TEST_CASE("an order that was acknowledged is not repaired away") {
  killed_directory at;
  at.daemon.kill();
  const auto bytes = test::bytes_of(at.log());
  test::write_bytes(at.log(), bytes.substr(0, bytes.size() - 400));
  const auto lost = at.doctor({"--repair-to", at.files / "repaired"});
  CHECK(lost.end == exited(65));
  CHECK(has(lost.out, "rows that were acknowledged are missing"));
  CHECK(has(lost.out, "restore the last backup"));
  CHECK_FALSE(std::filesystem::exists(at.files / "repaired"));
  const auto none = test::parcelflow({"doctor", "--data-dir", "/nowhere"});
  CHECK(none.end == exited(66));
}
