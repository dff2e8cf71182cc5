// What the door does with what is broken, slow, huge or too much. Nothing of
// it may reach the handler, and nobody else may suffer.
#include "door_fixture.hpp"

#include <sys/resource.h>

#include <algorithm>

namespace {

using namespace parcelflow;
using test::door_fixture;
using test::get;
using test::post;
using namespace std::chrono_literals;
using namespace std::string_literals;
using std::chrono::steady_clock;

struct bad_input {
  int status;
  std::string bytes;
};

/// A problem of that status is the connection's last word; no handler ran.
void check_refused(door_fixture& door, const bad_input& input) {
  CAPTURE(input.bytes);
  const auto handled = door.handled();
  auto client = door.connect();
  const auto answer = client.ask(input.bytes);
  CHECK(answer.status == input.status);
  CHECK(answer.has("application/problem+json"));
  CHECK(answer.has("\"type\":\"urn:parcelflow:problem:"));
  CHECK(answer.has("Connection: close\r\n"));
  CHECK(client.closed_by_server());
  CHECK(client.unread().empty());
  CHECK(door.handled() == handled);
}

std::string with(std::string_view headers, std::string_view body = {}) {
  return "POST /echo HTTP/1.1\r\nHost: a\r\n" + std::string(headers) + "\r\n"
         + std::string(body);
}

} // namespace

TEST_CASE("what could be read as two different requests is refused") {
  door_fixture door;
  const std::string smuggled = "GET /echo HTTP/1.1\r\nHost: a\r\n\r\n";
  const std::string chunked = "Transfer-Encoding: chunked\r\n";
  const std::string body = "0\r\n\r\n" + smuggled;
  for (const bad_input& input : {
         bad_input{400, with(chunked + "Content-Length: 5\r\n", body)},
         bad_input{400, with("Content-Length: 5\r\n" + chunked, body)},
         bad_input{400, with("Content-Length: 5\r\nContent-Length: 0\r\n")},
         bad_input{400,
                   with("Content-Length: 5\r\nContent-Length: 5\r\n", "12345")},
         bad_input{400, with("Content-Length: 5, 5\r\n", "12345")},
         bad_input{400, with("Content-Length: +5\r\n", "12345")},
         bad_input{400, with("Content-Length: -5\r\n")},
         bad_input{400, with("Content-Length: 0x5\r\n")},
         bad_input{400, with("Content-Length: \r\n")},
         bad_input{400, with("Content-Length : 5\r\n", "12345")},
         bad_input{400, with(chunked + chunked, body)},
         bad_input{501, with("Transfer-Encoding: gzip, chunked\r\n", body)},
         bad_input{501, with("Transfer-Encoding: xchunked\r\n", body)},
         bad_input{400, "POST /echo HTTP/1.0\r\n" + chunked + "\r\n" + body},
         bad_input{400, with(chunked, "zz\r\n\r\n")},
         bad_input{400, with(chunked, "3\r\nabcd\r\n0\r\n\r\n")},
         bad_input{400, with(chunked, "3;\x01\r\nabc\r\n0\r\n\r\n")},
         bad_input{400, with(chunked, "0\r\nContent-Length: 5\r\n\r\n")},
       })
    check_refused(door, input);
}

TEST_CASE("what is no HTTP/1.1 request is refused") {
  door_fixture door;
  for (const bad_input& input : {
         bad_input{400, "\x16\x03\x01\x02\x00 hello over TLS\r\n\r\n"s},
         bad_input{400, "GET\r\n\r\n"},
         bad_input{400, "GET /echo\r\nHost: a\r\n\r\n"},
         bad_input{400, "GET  /echo HTTP/1.1\r\nHost: a\r\n\r\n"},
         bad_input{400, "GET /echo HTTP/1.1\nHost: a\n\n"},
         bad_input{400, std::string("GET /ec\0ho HTTP/1.1\r\n\r\n", 23)},
         bad_input{400, with("Bad Name: 1\r\n")},
         bad_input{400, with(std::string("X: a\0b\r\n", 8))},
         bad_input{400, with("X: a\rb\r\n")},
         bad_input{400, with("no colon\r\n")},
         bad_input{400, "GET http://a/echo HTTP/1.1\r\nHost: a\r\n\r\n"},
         bad_input{400, "CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n"},
         bad_input{400, "GET /echo HTTP/2.0\r\nHost: a\r\n\r\n"},
         bad_input{417, with("Expect: 200-ok\r\n")},
       })
    check_refused(door, input);
  CHECK(door.server->counters().bad_requests == 14);
  CHECK(door.server->counters().requests == 0);
}

TEST_CASE("the Host header is needed, once, and names this service") {
  door_fixture open_door;
  check_refused(open_door, {400, "GET /echo HTTP/1.1\r\n\r\n"});
  check_refused(open_door, {400, with("Host: a\r\n")});

  auto options = test::quick_options();
  options.hosts = {"shop.example", "[::1]"};
  door_fixture door(options);
  const auto get_at = [](const std::string& host) {
    return "GET /echo HTTP/1.1\r\nHost: " + host + "\r\n\r\n";
  };
  auto client = door.connect();
  for (const auto host :
       {"shop.example", "SHOP.example:8080", "[::1]", "[::1]:80"})
    CHECK(client.ask(get_at(host)).status == 200);
  for (const auto host : {"evil.example", "shop.example.evil", "", "[::2]:80"})
    check_refused(door, {421, get_at(host)});
  check_refused(door, {421, "GET /echo HTTP/1.0\r\n\r\n"});
}

TEST_CASE("headers beyond their bytes or their count are refused") {
  auto options = test::quick_options();
  options.header_bytes_max = 2000;
  options.headers_max = 10;
  door_fixture door(options);
  const auto sized = [](std::size_t bytes) {
    const auto rest = get("/echo", "X: \r\n").size();
    return get("/echo", "X: " + std::string(bytes - rest, 'x') + "\r\n");
  };
  auto client = door.connect();
  CHECK(client.ask(sized(2000)).status == 200);
  check_refused(door, {431, sized(2001)});
  // Endless, and never a line's end.
  check_refused(door, {431, "GET /" + std::string(100'000, 'a')});
  check_refused(door, {431, "GET / HTTP/1.1\r\nX: " + std::string(9'000, 'a')});
  check_refused(door, {400, with("Transfer-Encoding: chunked\r\n",
                                 "1;" + std::string(100'000, 'e'))});

  const auto counted = [](int more) {
    std::string headers;
    for (int i = 0; i < more; ++i)
      headers += "X: 1\r\n";
    return get("/echo", headers);
  };
  CHECK(client.ask(counted(9)).status == 200); // and Host
  check_refused(door, {431, counted(10)});
}

TEST_CASE("a body of the limit passes; one byte more is not even read") {
  auto options = test::quick_options();
  options.body_bytes_max = 100'000;
  door_fixture door(options);
  auto client = door.connect();
  const auto full = client.ask(post("/echo", std::string(100'000, 'b')));
  CHECK(full.body.size() == 100'000 + std::string("POST /echo ").size());

  // Declared: the answer comes although not one byte of the body was sent.
  check_refused(door, {413, with("Content-Length: 100001\r\n")});
  check_refused(door, {413, with("Content-Length: 18446744073709551615\r\n")});
  check_refused(door, {400, with("Content-Length: 18446744073709551616\r\n")});
  const auto expecting = with("Expect: 100-continue\r\n"
                              "Content-Length: 100001\r\n");
  check_refused(door, {413, expecting});

  // Chunked: at the head of the chunk that would go beyond.
  const auto chunked = "Transfer-Encoding: chunked\r\n";
  check_refused(door, {413, with(chunked, "186a1\r\n")});
  check_refused(door, {413, with(chunked, "1\r\na\r\n186a0\r\n")});
  check_refused(door, {413, with(chunked, "ffffffffffffffff\r\n")});
}

TEST_CASE("a client that keeps sending its huge body still gets the answer") {
  auto options = test::quick_options();
  options.body_bytes_max = 1000;
  door_fixture door(options);
  auto client = door.connect();
  // More than the kernel's buffers hold: a plain close would reset the
  // connection under the sender, and the answer could be lost with it.
  const std::string huge(5'000'000, 'x');
  CHECK(client.send(with("Content-Length: 5000000\r\n", huge)));
  CHECK(client.answer().status == 413);
}

TEST_CASE("what does not parse is answered in its place, as the last") {
  door_fixture door;
  auto client = door.connect();
  client.send(get("/hold") + "nonsense\r\n\r\n" + get("/echo"));
  auto held = door.held(1);
  held[0]({200, {}, "first"});
  CHECK(client.answer().body == "first");
  CHECK(client.answer().status == 400);
  CHECK(client.closed_by_server());
  CHECK(client.unread().empty());
  CHECK(door.handled() == 1);
}

TEST_CASE("a drip is cut at the deadline of the whole header or body") {
  door_fixture door;
  for (const auto& start :
       {std::string("GET /echo HTTP/1.1\r\nX: "),
        with("Content-Length: 100000\r\n"),
        with("Transfer-Encoding: chunked\r\n", "fff\r\n")}) {
    CAPTURE(start);
    const auto began = steady_clock::now();
    auto client = door.connect();
    client.send(start);
    test::raw_answer answer;
    while (answer.status == 0 && steady_clock::now() - began < 4s) {
      client.send("x");
      answer = client.answer(20ms);
    }
    CHECK(answer.status == 408);
    CHECK(answer.has("urn:parcelflow:problem:request_timeout"));
    CHECK(steady_clock::now() - began > 350ms);
    CHECK(client.closed_by_server());
  }
  CHECK(door.server->counters().timeouts == 3);
  CHECK(door.handled() == 0);
}

TEST_CASE("a connection that says nothing is closed without a word") {
  auto options = test::quick_options();
  options.idle_timeout = 100ms;
  options.header_timeout = 200ms;
  door_fixture door(options);
  auto silent = door.connect();
  CHECK(silent.closed_by_server());
  CHECK(silent.unread().empty());
  auto once = door.connect();
  CHECK(once.ask(get("/echo")).status == 200);
  CHECK(once.closed_by_server());
  CHECK(once.unread().empty());
  // A handler's time is not the client's.
  auto waiting = door.connect();
  waiting.send(get("/hold"));
  auto held = door.held(1);
  CHECK(waiting.answer(500ms).status == 0);
  held[0]({200, {}, "slow"});
  CHECK(waiting.answer().body == "slow");
}

TEST_CASE("a client that reads no answer is cut") {
  auto options = test::quick_options();
  options.idle_timeout = 200ms;
  options.pipeline_max = 2;
  door_fixture door(options);
  auto client = door.connect();
  client.send(get("/hold") + get("/hold"));
  std::string large;
  large.resize(20'000'000, 'r');
  for (const auto& respond : door.held(2))
    respond({200, {}, large});
  CHECK(door_fixture::soon(
    [&] { return door.server->counters().connections_open == 0; }));
  CHECK(door.connect().ask(get("/echo")).status == 200);
}

TEST_CASE("a thousand idle connections do not harm the honest ones") {
  rlimit files{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &files) == 0);
  files.rlim_cur = std::min<rlim_t>(files.rlim_max, 4096);
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &files) == 0);
  REQUIRE(files.rlim_cur >= 2200);

  auto options = test::quick_options();
  options.header_timeout = 5000ms;
  door_fixture door(options);
  std::vector<test::raw_client> idle;
  for (int i = 0; i < 1000; ++i) {
    idle.push_back(door.connect());
    if (i % 2 == 0)
      idle.back().send("GET /echo HTT");
  }
  REQUIRE(door_fixture::soon(
    [&] { return door.server->counters().connections_open == 1000; }));
  auto honest = door.connect();
  std::vector<steady_clock::duration> times;
  for (int i = 0; i < 200; ++i) {
    const auto began = steady_clock::now();
    REQUIRE(honest.ask(get("/echo")).status == 200);
    times.push_back(steady_clock::now() - began);
  }
  std::sort(times.begin(), times.end());
  CHECK(times[100] < 20ms); // a scan or a lock over all would show here
  CHECK(door.connect().ask(get("/echo")).status == 200);
}

TEST_CASE("beyond the cap: 503 with Retry-After, and room again later") {
  auto options = test::quick_options();
  options.connections_max = 2;
  door_fixture door(options);
  auto first = door.connect();
  auto second = door.connect();
  REQUIRE(first.ask(get("/echo")).status == 200);
  REQUIRE(second.ask(get("/echo")).status == 200);

  auto third = door.connect();
  const auto refused = third.ask(get("/echo"));
  CHECK(refused.status == 503);
  CHECK(refused.has("Retry-After: 1\r\n"));
  CHECK(refused.has("urn:parcelflow:problem:overloaded"));
  CHECK(third.closed_by_server());
  CHECK(door.server->counters().connections_refused == 1);
  CHECK(door.handled() == 2);

  // A crowd is turned away without a word, and holds nothing.
  std::vector<test::raw_client> crowd;
  crowd.reserve(200);
  for (int i = 0; i < 200; ++i)
    crowd.emplace_back(door.server->port());
  CHECK(door_fixture::soon(
    [&] { return door.server->counters().connections_refused == 201; }));
  CHECK(door.server->counters().connections_open <= 2 + 64);
  crowd.clear();
  CHECK(first.ask(get("/echo")).status == 200);
  first.close();
  CHECK(door_fixture::soon(
    [&] { return door.connect().ask(get("/echo")).status == 200; }));
}
