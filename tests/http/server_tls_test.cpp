// TLS, and the rule that only loopback may go without.
#include "door_fixture.hpp"
#include "tls_client.hpp"

#include <filesystem>

namespace {

using namespace parcelflow;
using test::door_fixture;
using test::get;
using test::post;
using test::tls_client;
using namespace std::chrono_literals;

domain::failure start_failure(http::server_options options) {
  const auto started =
    http::server::start(std::move(options), [](auto, auto) {});
  REQUIRE_FALSE(started.ok());
  return started.why().code;
}

struct tls_files {
  tls_files() {
    std::string pattern =
      std::filesystem::temp_directory_path() / "door-XXXXXX";
    REQUIRE(::mkdtemp(pattern.data()) != nullptr);
    folder = pattern;
    write("first");
  }
  ~tls_files() { std::filesystem::remove_all(folder); }

  void write(const std::string& common_name) const {
    REQUIRE(test::write_self_signed(certificate(), key(), common_name));
  }
  [[nodiscard]] std::string certificate() const { return folder / "cert.pem"; }
  [[nodiscard]] std::string key() const { return folder / "key.pem"; }
  [[nodiscard]] http::server_options options() const {
    auto options = test::quick_options();
    options.certificate_file = certificate();
    options.key_file = key();
    return options;
  }

  std::filesystem::path folder;
};

} // namespace

TEST_CASE("a request goes round over TLS 1.2 and 1.3") {
  const tls_files files;
  door_fixture door(files.options());
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    tls_client client(door.server->port(), version);
    REQUIRE(client.handshaken());
    CHECK(client.peer_name() == "first");
    const auto big = std::string(100'000, 'b');
    CHECK(client.ask(post("/echo", big)).ends_with("POST /echo " + big));
    CHECK(client.ask(get("/echo", "Connection: close\r\n"))
            .ends_with("GET /echo "));
    CHECK(client.ended_cleanly());
  }
}

TEST_CASE("older TLS and plain HTTP are not spoken on a TLS port") {
  const tls_files files;
  door_fixture door(files.options());
  CHECK_FALSE(tls_client(door.server->port(), TLS1_1_VERSION).handshaken());
  auto plain = door.connect();
  plain.send(get("/echo"));
  CHECK(plain.closed_by_server());
  CHECK(door.handled() == 0);
}

TEST_CASE("a TLS handshake that does not come has a deadline") {
  const tls_files files;
  door_fixture door(files.options());
  auto silent = door.connect();
  CHECK(silent.closed_by_server());
}

TEST_CASE("a slow body and a huge one are refused over TLS too") {
  const tls_files files;
  auto options = files.options();
  options.body_bytes_max = 1000;
  door_fixture door(options);
  const auto announce = [](int bytes) {
    return "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: "
           + std::to_string(bytes) + "\r\n\r\n";
  };
  tls_client huge(door.server->port(), TLS1_3_VERSION);
  CHECK(huge.ask(announce(1001) + std::string(1001, 'x'))
          .starts_with("HTTP/1.1 413 "));
  tls_client slow(door.server->port(), TLS1_3_VERSION);
  CHECK(slow.ask(announce(10) + "abc").starts_with("HTTP/1.1 408 "));
}

TEST_CASE("a reloaded certificate serves the next connections") {
  const tls_files files;
  door_fixture door(files.options());
  tls_client before(door.server->port(), TLS1_3_VERSION);
  files.write("second");
  REQUIRE(door.server->reload_certificate().ok());
  CHECK(door_fixture::soon([&] {
    return tls_client(door.server->port(), TLS1_3_VERSION).peer_name()
           == "second";
  }));
  CHECK(before.ask(get("/echo")).ends_with("GET /echo "));

  std::filesystem::remove(files.key());
  const auto failed = door.server->reload_certificate();
  REQUIRE_FALSE(failed.ok());
  CHECK(failed.why().code == domain::failure::config_invalid);
  tls_client after(door.server->port(), TLS1_3_VERSION);
  CHECK(after.peer_name() == "second");
}

TEST_CASE("an address beyond loopback needs a certificate") {
  http::server_options options;
  for (const auto address : {"0.0.0.0", "::", "10.0.0.1", "localhost", ""}) {
    options.address = address;
    CAPTURE(address);
    CHECK(start_failure(options) == domain::failure::config_invalid);
  }
  const tls_files files;
  options = files.options();
  options.address = "0.0.0.0";
  door_fixture door(options);
  tls_client client(door.server->port(), TLS1_3_VERSION);
  CHECK(client.ask(get("/echo")).ends_with("GET /echo "));
}

TEST_CASE("certificate and key come as a readable, matching pair") {
  const tls_files files;
  const tls_files others;
  auto options = files.options();
  options.key_file = others.key();
  CHECK(start_failure(options) == domain::failure::config_invalid);
  options.key_file.clear();
  CHECK(start_failure(options) == domain::failure::config_invalid);
  options = files.options();
  options.certificate_file += ".absent";
  CHECK(start_failure(options) == domain::failure::config_invalid);
}

TEST_CASE("a taken port is an error that says so") {
  door_fixture door;
  auto options = test::quick_options();
  options.port = door.server->port();
  CHECK(start_failure(options) == domain::failure::internal);
}
