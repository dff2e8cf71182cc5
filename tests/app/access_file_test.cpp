#include "app/access_control.hpp"
#include "app/access_file.hpp"
#include "app/whole_file.hpp"
#include "support/digest.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

namespace parcelflow::app {

namespace {

namespace fs = std::filesystem;
using domain::failure;

constexpr std::int64_t now = 1'700'000'000'000;
constexpr std::int64_t day_ms = 86'400'000;

// A folder of its own for each test.
struct folder {
  folder() {
    static int count = 0;
    root = fs::temp_directory_path()
           / ("access_file_test_" + std::to_string(::getpid()) + "_"
              + std::to_string(++count));
    fs::create_directories(root);
    path = (root / "data" / "access.json").string();
  }
  ~folder() { fs::remove_all(root); }

  fs::path root;
  std::string path;
};

issued_token issue(const std::string& path, std::string_view tenants,
                   std::string_view role = "operator",
                   std::string_view expires = "30d", std::int64_t at = now) {
  const auto request = parse_token_request(tenants, role, expires);
  REQUIRE(request.ok());
  auto issued = issue_token(path, *request, at);
  REQUIRE_MESSAGE(issued.ok(), issued.why().detail);
  return *issued;
}

std::string text_of(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

} // namespace

TEST_CASE("an issued token opens the door for its tenants until it expires") {
  const folder at;
  const auto issued = issue(at.path, "acme,globex", "responder", "1h");
  access_control door(at.path);
  CHECK_FALSE(door.authenticate(issued.token, now).ok());
  REQUIRE(door.reload().ok());
  const auto who = door.authenticate(issued.token, now);
  REQUIRE(who.ok());
  CHECK(who->token_id == issued.token_id);
  CHECK(may(*who, domain::role::responder, "globex"));
  CHECK_FALSE(may(*who, domain::role::responder, "initech"));
  CHECK(door.check_tenant("acme").ok());
  CHECK(door.check_tenant("initech").why().code == failure::unknown_tenant);
  CHECK(door.authenticate(issued.token, now + 3'599'999).ok());
  CHECK_FALSE(door.authenticate(issued.token, now + 3'600'000).ok());
}

TEST_CASE("a token has 256 random bits, its own form, and no second one") {
  const folder at;
  std::set<std::string> seen;
  for (int i = 0; i < 20; ++i) {
    const auto token = issue(at.path, "acme").token;
    CHECK(token.starts_with("pft_"));
    CHECK(support::bytes_of_base64url(token.substr(4))->size() == 32);
    seen.insert(token);
  }
  CHECK(seen.size() == 20);
}

TEST_CASE("neither the file nor the list shows a token, nor the list a hash") {
  const folder at;
  const auto issued = issue(at.path, "acme");
  const auto kept = text_of(at.path);
  CHECK(kept.find(issued.token) == std::string::npos);
  CHECK(kept.find(issued.token.substr(4)) == std::string::npos);
  const auto hash = support::hex(support::sha256_of(issued.token));
  CHECK(kept.find(hash) != std::string::npos);
  const auto shown = show_tokens(list_tokens(*load_access(at.path), now));
  CHECK(shown.find(issued.token_id) != std::string::npos);
  CHECK(shown.find("2023-12-14T22:13:20.000Z") != std::string::npos);
  CHECK(shown.find(issued.token.substr(4)) == std::string::npos);
  CHECK(shown.find(hash) == std::string::npos);
}

TEST_CASE("the file is its owner's alone, and no other file stays behind") {
  const folder at;
  issue(at.path, "acme");
  issue(at.path, "acme");
  struct stat about {};
  REQUIRE(::stat(at.path.c_str(), &about) == 0);
  CHECK((about.st_mode & 07777) == 0600);
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(at.root / "data"))
    names.insert(entry.path().filename());
  CHECK(names == std::set<std::string>{"access.json", "access.json.lock"});
}

TEST_CASE("a file that others may write is refused") {
  const folder at;
  issue(at.path, "acme");
  fs::permissions(at.path, fs::perms::group_write, fs::perm_options::add);
  CHECK(load_access(at.path).why().code == failure::config_invalid);
}

TEST_CASE("a revoked token is void after the next reload, others stay") {
  const folder at;
  const auto one = issue(at.path, "acme");
  const auto other = issue(at.path, "acme");
  access_control door(at.path);
  REQUIRE(door.reload().ok());
  REQUIRE(revoke_token(at.path, one.token_id).ok());
  REQUIRE(revoke_token(at.path, one.token_id).ok());
  CHECK(door.authenticate(one.token, now).ok());
  REQUIRE(door.reload().ok());
  CHECK_FALSE(door.authenticate(one.token, now).ok());
  CHECK(door.authenticate(other.token, now).ok());
  CHECK(revoke_token(at.path, "tok-none").why().code == failure::not_found);
  const folder empty;
  CHECK(revoke_token(empty.path, "tok-1").why().code == failure::not_found);
}

TEST_CASE("a file that does not load leaves the door as it was") {
  const folder at;
  const auto issued = issue(at.path, "acme");
  access_control door(at.path);
  REQUIRE(door.reload().ok());
  REQUIRE(replace_whole(at.path, "{\"format\": 1").ok());
  const auto slip = door.reload();
  CHECK(slip.why().code == failure::config_invalid);
  CHECK(slip.why().detail.starts_with(at.path));
  CHECK(door.authenticate(issued.token, now).ok());
}

TEST_CASE("without a file the door stays shut") {
  const folder at;
  access_control door(at.path);
  REQUIRE(door.reload().ok());
  for (const auto* token : {"", "pft_",
                            "pft_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
                            "AAAAAAAA"})
    CHECK(door.authenticate(token, now).why().code == failure::unauthenticated);
}

TEST_CASE("a tenant is suspended and resumed; erased is for ever") {
  using enum domain::tenant_state;
  const folder at;
  issue(at.path, "acme");
  access_control door(at.path);
  const auto state = [&] {
    REQUIRE(door.reload().ok());
    return door.check_tenant("acme");
  };
  REQUIRE(set_tenant_state(at.path, "acme", suspended).ok());
  CHECK(state().why().code == failure::tenant_suspended);
  issue(at.path, "acme");
  CHECK(state().why().code == failure::tenant_suspended);
  REQUIRE(set_tenant_state(at.path, "acme", active).ok());
  CHECK(state().ok());
  REQUIRE(set_tenant_state(at.path, "acme", erased).ok());
  CHECK(state().why().code == failure::tenant_erased);
  CHECK(set_tenant_state(at.path, "acme", active).why().code
        == failure::tenant_erased);
  const auto before = text_of(at.path);
  const auto request = parse_token_request("acme", "admin", "1d");
  CHECK(issue_token(at.path, *request, now).why().code
        == failure::tenant_erased);
  CHECK(text_of(at.path) == before);
  CHECK(set_tenant_state(at.path, "initech", erased).why().code
        == failure::unknown_tenant);
}

TEST_CASE("entries leave 30 days after they expired, not before") {
  const folder at;
  const auto old = issue(at.path, "acme", "operator", "1d");
  const auto rows = [&](std::int64_t when) {
    return list_tokens(*load_access(at.path), when);
  };
  CHECK(rows(now)[0].state == "active");
  CHECK(rows(now + day_ms)[0].state == "expired");
  issue(at.path, "acme", "operator", "300d", now + 31 * day_ms - 1);
  CHECK(rows(now).size() == 2);
  issue(at.path, "acme", "operator", "300d", now + 31 * day_ms);
  CHECK(rows(now).size() == 2);
  CHECK(rows(now)[0].token_id != old.token_id);
}

TEST_CASE("changes from several threads are all kept") {
  const folder at;
  issue(at.path, "acme");
  const auto request = *parse_token_request("acme", "operator", "1d");
  std::vector<std::thread> threads(4);
  for (auto& thread : threads)
    thread = std::thread([&] {
      for (int i = 0; i < 5; ++i)
        static_cast<void>(issue_token(at.path, request, now));
    });
  for (auto& thread : threads)
    thread.join();
  CHECK(load_access(at.path)->tokens.size() == 21);
}

TEST_CASE("the words of the command line are checked before anything") {
  const auto everywhere = parse_token_request("*", "admin", "365d");
  REQUIRE(everywhere.ok());
  CHECK(everywhere->tenants.all);
  CHECK(everywhere->lifetime == std::chrono::hours(365 * 24));
  for (const auto* tenants :
       {"", ",", "acme,", "acme,acme", "ACME", "_control", "a,*", "a b"})
    CHECK_MESSAGE(parse_token_request(tenants, "admin", "1d").why().code
                    == failure::invalid_request,
                  tenants);
  CHECK_FALSE(parse_token_request("acme", "root", "1d").ok());
  for (const auto* expires :
       {"", "30", "0d", "59s", "-1d", "3651d", "1w", "999999999999999d"})
    CHECK_FALSE_MESSAGE(parse_token_request("acme", "admin", expires).ok(),
                        expires);
}

TEST_CASE("an unwritable place and a folder in the way are told") {
  const folder at;
  CHECK(save_access((at.root / "none" / "a.json").string(), {}).why().code
        == failure::not_found);
  fs::create_directories(at.path);
  CHECK(load_access(at.path).why().code == failure::storage_io);
  const auto request = *parse_token_request("acme", "admin", "1d");
  CHECK(issue_token(at.path, request, now).why().code == failure::storage_io);
}

} // namespace parcelflow::app
