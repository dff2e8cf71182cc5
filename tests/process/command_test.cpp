// The commands that end by themselves, and every refusal to start.
#include "tests/storage/store_fixture.hpp"
#include "tests/support/process.hpp"
#include "tests/support/temp_directory.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

using namespace parcelflow;
using test::arguments;
using test::exited;

namespace {

/// Each of the texts is in what the command said on stderr.
void says(const test::command_result& of, const arguments& texts) {
  for (const auto& one : texts)
    CHECK_MESSAGE(of.err.find(one) != std::string::npos,
                  one << " is not in: " << of.err);
}

std::string written(const std::string& path, const std::string& text) {
  std::ofstream(path) << text;
  return path;
}

test::command_result run_prod(const std::string& flag) {
  const test::temp_directory files;
  return test::parcelflow(
    {"run", "--config", test::in_source("config/prod.ini"),
     "--data.directory=" + (files / "data"), "--http.port=0", flag});
}

} // namespace

TEST_CASE("a bad configuration exits 78 and names file, line and what may be") {
  const test::temp_directory files;
  const auto file = written(files / "bad.ini", "[http]\n\nport = 70000\n");
  const auto range = test::parcelflow({"run", "--config", file});
  CHECK(range.end == exited(78));
  says(range, {file + ":3", "http.port", "70000", "0 to 65535"});

  const auto unknown = written(files / "unknown.ini", "[http]\nprot = 1\n");
  const auto key = test::parcelflow({"run", "--config", unknown});
  CHECK(key.end == exited(78));
  says(key, {unknown + ":2", "http.prot"});

  const auto flag = test::parcelflow(
    {"run", "--config", test::in_source("config/dev.ini"), "--no.such=1"});
  CHECK(flag.end == exited(78));
  says(flag, {"no.such"});

  const auto missing = test::parcelflow({"run", "--config", files / "none"});
  CHECK(missing.end == exited(78));
  says(missing, {files / "none"});
}

TEST_CASE("an unknown crash point exits 78 and names the known ones") {
  const test::temp_directory files;
  const auto refused =
    test::parcelflow({"run", "--config", test::in_source("config/test.ini"),
                      "--data.directory=" + (files / "data"),
                      "--fault.crash_point=order.no_such"});
  CHECK(refused.end == exited(78));
  says(refused, {"order.no_such", "order.after_commit"});
}

TEST_CASE("the prod profile refuses whatever is only fit for tests") {
  for (const std::string flag :
       {"--bus.adapter=memory", "--storage.sync=false",
        "--fault.crash_point=order.after_commit", "--bus.fault_duplicate=1",
        "--bus.fault_drop=1", "--bus.fault_reorder=1", "--bus.fault_delay=1",
        "--bus.fault_fail=1", "--profile.name=dev",
        "--bus.minimum_durability=page_cache"}) {
    CAPTURE(flag);
    const auto refused = run_prod(flag);
    CHECK(refused.end == exited(78));
    says(refused, {flag.substr(2, flag.find('=') - 2), "profile.production"});
  }
}

TEST_CASE("check looks at everything and leaves no trace") {
  const test::temp_directory files;
  const auto directory = files / "data";
  const arguments with{"check", "--config", test::in_source("config/dev.ini"),
                       "--data.directory=" + directory};
  const auto fresh = test::parcelflow(with);
  CHECK(fresh.end == exited(0));
  CHECK(fresh.out.find("ok") != std::string::npos);
  CHECK(fresh.out.find(directory) != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(directory));

  test::daemon_process daemon(directory, "dev");
  daemon.start();
  const auto held = test::parcelflow(with);
  CHECK(held.end == exited(75));
  CHECK(daemon.stop() == exited(0));
  CHECK(test::parcelflow(with).end == exited(0));

  written(directory + "/store/CURRENT", "garbage");
  const auto damaged = test::parcelflow(with);
  CHECK(damaged.end == exited(74));
  CHECK_FALSE(damaged.err.empty());
}

TEST_CASE("check changes no byte of what a killed daemon left") {
  const test::temp_directory files;
  test::daemon_process daemon(files / "data", "crash-lab");
  const auto token = daemon.token("tn-a");
  daemon.start({"--fault.crash_point="});
  REQUIRE(
    daemon.ask("PUT", "/v1/inventory/sku-1", token, R"({"onHand":9})").status
    == 200);
  daemon.kill();
  const auto before = test::contents(daemon.directory());
  arguments with{"check"};
  for (const auto& flag : daemon.identity())
    with.push_back(flag);
  const auto checked = test::parcelflow(with);
  CHECK_MESSAGE(checked.end == exited(0), checked.err);
  CHECK(checked.out.find("(opens)") != std::string::npos);
  CHECK(test::contents(daemon.directory()) == before);
}

TEST_CASE("what run refuses check refuses, and neither leaves a trace") {
  const test::temp_directory files;
  const auto none = files / "none.pem";
  const std::vector<arguments> refused{
    {"--http.certificate_file=" + none, "--http.key_file=" + none},
    {"--http.address=0.0.0.0"},
    {"--fault.crash_point=order.no_such"},
    {"--storage.sync=false"}, // below bus.minimum_durability
  };
  for (const auto& flags : refused)
    for (const std::string command : {"run", "check"}) {
      CAPTURE(command);
      CAPTURE(flags.front());
      arguments with{command, "--config", test::in_source("config/dev.ini"),
                     "--data.directory=" + (files / "data"), "--http.port=0"};
      with.insert(with.end(), flags.begin(), flags.end());
      const auto no = test::parcelflow(with);
      CHECK(no.end == exited(78));
      CHECK(no.out.empty());
      CHECK_FALSE(std::filesystem::exists(files / "data"));
    }
}

TEST_CASE("production refuses a directory with a developer's token") {
  const test::temp_directory files;
  const auto directory = files / "data";
  std::filesystem::create_directory(directory);
  const auto left = written(directory + "/dev.token", "pft_left\n");
  for (const std::string command : {"run", "check"}) {
    const auto refused =
      test::parcelflow({command, "--config", test::in_source("config/prod.ini"),
                        "--data.directory=" + directory, "--http.port=0"});
    CHECK(refused.end == exited(78));
    says(refused, {left, "delete", "revoke"});
    CHECK_FALSE(std::filesystem::exists(directory + "/store"));
  }
  std::filesystem::remove(left);
  const auto clean =
    test::parcelflow({"check", "--config", test::in_source("config/prod.ini"),
                      "--data.directory=" + directory, "--http.port=0"});
  CHECK_MESSAGE(clean.end == exited(0), clean.err);
}

TEST_CASE("the dev profile gives a first token, once") {
  const test::temp_directory files;
  test::daemon_process daemon(files / "data", "dev");
  daemon.start();
  auto token = test::whole_text(daemon.directory() + "/dev.token");
  REQUIRE(token.size() > 20);
  CHECK(daemon.said().find(token) != std::string::npos);
  token.pop_back(); // the line's end
  CHECK(daemon.ask("GET", "/v1/orders", token).status == 200);
  CHECK(daemon.ask("GET", "/v1/orders", token + "x").status == 401);
  CHECK(daemon.log().find(token) == std::string::npos);
  CHECK(daemon.stop() == exited(0));
  daemon.start();
  CHECK(daemon.said().find("pft_") == std::string::npos);
  CHECK(daemon.ask("GET", "/v1/orders", token).status == 200);
  CHECK(daemon.stop() == exited(0));
}

TEST_CASE("--version names the program, its commit and its libraries") {
  const auto version = test::parcelflow({"--version"});
  CHECK(version.end == exited(0));
  for (const auto* name : {"parcelflow 0.", "(", "CAF 0.17", "RocksDB 7.",
                           "nlohmann/json 3.", "Boost 1.", "OpenSSL "})
    CHECK(version.out.find(name) != std::string::npos);
}

TEST_CASE("a wrong command exits 64") {
  CHECK(test::parcelflow({"no-such-command"}).end == exited(64));
  CHECK(test::parcelflow({"token", "issue"}).end == exited(64));
}
