// What the door promises honest clients: one answer a request, in order.
#include "door_fixture.hpp"

#include <algorithm>
#include <thread>

namespace {

using namespace parcelflow;
using test::door_fixture;
using test::get;
using test::post;
using namespace std::chrono_literals;

http::response text(std::string body) {
  return {200, {}, std::move(body)};
}

} // namespace

TEST_CASE("requests on one connection are answered one by one") {
  door_fixture door;
  auto client = door.connect();
  for (int i = 0; i < 3; ++i) {
    const auto answer = client.ask(post("/echo", "body" + std::to_string(i)));
    CHECK(answer.status == 200);
    CHECK(answer.body == "POST /echo body" + std::to_string(i));
    CHECK(answer.has("Content-Type: text/plain\r\n"));
    CHECK(answer.has("Date: "));
    CHECK_FALSE(answer.has("Connection:"));
  }
  CHECK(door.server->counters().requests == 3);
  CHECK(door.server->counters().connections_open == 1);
}

TEST_CASE("header names are compared without case and keep their order") {
  http::request request;
  request.headers = {{"X-One", "1"}, {"Host", "h"}, {"x-one", "2"}};
  CHECK(request.header("x-ONE") == "1");
  CHECK(request.header_count("X-one") == 2);
  CHECK(request.header("absent").empty());
}

TEST_CASE("a chunked body arrives whole") {
  door_fixture door;
  const auto answer = door.connect().ask(
    "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
    "3\r\nabc\r\n4;ext=1\r\ndefg\r\n0\r\nTrailer: x\r\n\r\n");
  CHECK(answer.body == "POST /echo abcdefg");
}

TEST_CASE("a request that comes byte by byte is the same request") {
  door_fixture door;
  for (const std::string& request :
       {post("/echo", "abc"),
        std::string("POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: "
                    "chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n")}) {
    auto client = door.connect();
    for (const char byte : request)
      REQUIRE(client.send(std::string_view(&byte, 1)));
    CHECK(client.answer().body == "POST /echo abc");
  }
  auto client = door.connect();
  const std::string empty = "POST /echo HTTP/1.1\r\nHost: a\r\n"
                            "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
  for (const char byte : empty)
    REQUIRE(client.send(std::string_view(&byte, 1)));
  CHECK(client.answer().body == "POST /echo ");
}

TEST_CASE("HEAD gets the length of the body and no body") {
  door_fixture door;
  auto client = door.connect();
  client.send("HEAD /echo HTTP/1.1\r\nHost: a\r\n\r\n" + get("/echo"));
  const auto head = client.answer(test::patience, true);
  CHECK(head.status == 200);
  CHECK(head.has("Content-Length: 11\r\n"));
  CHECK(client.answer().body == "GET /echo ");
}

TEST_CASE("the client's wish to close is granted with the answer") {
  door_fixture door;
  auto client = door.connect();
  const auto answer =
    client.ask(get("/echo", "Connection: close\r\n") + get("/echo"));
  CHECK(answer.status == 200);
  CHECK(answer.has("Connection: close\r\n"));
  CHECK(client.closed_by_server());
  CHECK(client.unread().empty());
  CHECK(door.handled() == 1);

  auto old = door.connect();
  CHECK(old.ask("GET /echo HTTP/1.0\r\n\r\n").has("Connection: close"));
  CHECK(old.closed_by_server());
  auto kept = door.connect();
  const auto keep = "GET /echo HTTP/1.0\r\nConnection: keep-alive\r\n\r\n";
  CHECK(kept.ask(keep).has("Connection: keep-alive"));
  CHECK(kept.ask(keep).status == 200);
}

TEST_CASE("pipelined answers keep the order of their requests") {
  door_fixture door;
  auto client = door.connect();
  client.send(get("/hold") + get("/hold") + get("/echo") + get("/hold"));
  auto held = door.held(3);
  held[2](text("third"));
  held[1](text("second"));
  CHECK(client.answer(50ms).status == 0); // the first still owes its answer
  std::thread([&held] { held[0](text("first")); }).join();
  CHECK(client.answer().body == "first");
  CHECK(client.answer().body == "second");
  CHECK(client.answer().body == "GET /echo ");
  CHECK(client.answer().body == "third");
}

TEST_CASE("a full pipeline stops reading and goes on when there is room") {
  auto options = test::quick_options();
  options.pipeline_max = 4;
  door_fixture door(options);
  auto client = door.connect();
  std::string burst;
  for (int i = 0; i < 50; ++i)
    burst += get("/hold");
  client.send(burst);
  int answered = 0;
  while (answered < 50) {
    auto held = door.held(1);
    CHECK(held.size() <= 4);
    for (const auto& respond : held) {
      respond(text(std::to_string(answered)));
      CHECK(client.answer().body == std::to_string(answered++));
    }
  }
}

TEST_CASE("a second answer and a late one are ignored") {
  door_fixture door;
  auto client = door.connect();
  client.send(get("/hold") + get("/hold"));
  auto held = door.held(2);
  held[0](text("once"));
  held[0](text("twice"));
  CHECK(client.answer().body == "once");
  held[1](text("next"));
  CHECK(client.answer().body == "next");

  client.send(get("/hold"));
  auto late = door.held(1);
  client.close();
  CHECK(door_fixture::soon([&] {
    late[0](text("nobody listens"));
    return door.server->counters().connections_open == 0;
  }));
  CHECK(door.connect().ask(get("/echo")).status == 200);
}

TEST_CASE("an answer after the server's end goes nowhere") {
  std::vector<http::responder> held;
  {
    door_fixture door;
    auto client = door.connect();
    client.send(get("/hold"));
    held = door.held(1);
  }
  held[0](text("too late"));
}

TEST_CASE("a handler that gives no answer is answered for: 500") {
  door_fixture door;
  auto client = door.connect();
  for (const auto path : {"/drop", "/throw"}) {
    const auto answer = client.ask(get(path));
    CHECK(answer.status == 500);
    CHECK(answer.has("urn:parcelflow:problem:internal"));
  }
  CHECK(client.ask(get("/echo")).status == 200);
}

TEST_CASE("an answer's header cannot begin another") {
  door_fixture door;
  auto client = door.connect();
  client.send(get("/hold"));
  door.held(1)[0]({200, {{"Location", "/a\r\nSet-Cookie: b"}}, ""});
  const auto answer = client.answer();
  CHECK(answer.has("Location: /a  Set-Cookie: b\r\n"));
  CHECK_FALSE(answer.has("\nSet-Cookie"));
}

TEST_CASE("204 and 304 carry neither body nor length") {
  door_fixture door;
  auto client = door.connect();
  for (const int status : {204, 304}) {
    client.send(get("/hold"));
    door.held(1)[0]({status, {}, "dropped"});
    const auto answer = client.answer();
    CHECK(answer.status == status);
    CHECK_FALSE(answer.has("Content-Length"));
  }
  CHECK(client.ask(get("/echo")).status == 200);
}

TEST_CASE("100-continue is sent when it is this request's turn") {
  door_fixture door;
  auto client = door.connect();
  const std::string head = "POST /echo HTTP/1.1\r\nHost: a\r\n"
                           "Expect: 100-continue\r\nContent-Length: 2\r\n\r\n";
  client.send(get("/hold") + head);
  auto held = door.held(1);
  CHECK(client.answer(50ms).status == 0);
  held[0](text("first"));
  CHECK(client.answer().body == "first");
  CHECK(client.answer().status == 100);
  CHECK(client.ask("ok").body == "POST /echo ok");
  // A client that does not wait needs no permission.
  CHECK(client.ask(head + "no").status == 200);
}

TEST_CASE("a client that ends its side still gets its answers") {
  door_fixture door;
  auto client = door.connect();
  client.send(get("/hold"));
  client.finish_sending();
  auto held = door.held(1);
  held[0](text("after the end"));
  CHECK(client.answer().body == "after the end");
  CHECK(client.closed_by_server());
}

TEST_CASE("drain answers what is under way and takes nothing new") {
  auto options = test::quick_options();
  options.header_timeout = 5000ms;
  door_fixture door(options);
  auto idle = door.connect();
  REQUIRE(idle.ask(get("/echo")).status == 200);
  auto busy = door.connect();
  busy.send(get("/hold") + get("/hold"));
  auto held = door.held(2);
  auto half = door.connect();
  // One segment: once the first is answered, the half request was read too.
  REQUIRE(half.ask(get("/echo") + post("/echo", "half").substr(0, 20)).status
          == 200);

  CHECK_FALSE(door.server->drain(50ms)); // two answers are owed
  CHECK(idle.closed_by_server());
  CHECK(idle.unread().empty());
  CHECK_FALSE(test::raw_client(door.server->port()).connected());

  std::thread finishing([&] {
    half.send(post("/echo", "half").substr(20));
    held[1](text("second"));
    held[0](text("first"));
  });
  CHECK(door.server->drain(5000ms));
  finishing.join();
  const auto first = busy.answer();
  CHECK(first.body == "first");
  CHECK_FALSE(first.has("Connection: close"));
  const auto second = busy.answer();
  CHECK(second.body == "second");
  CHECK(second.has("Connection: close\r\n"));
  CHECK(half.answer().has("Connection: close\r\n"));
  CHECK(half.closed_by_server());
  door.server->stop();
  CHECK(door.server->drain(0ms)); // nothing is left to wait for
}

TEST_CASE("stop closes at once, with requests in flight, and twice") {
  door_fixture door;
  auto client = door.connect();
  client.send(get("/hold"));
  auto held = door.held(1);
  door.server->stop();
  CHECK(client.closed_by_server());
  door.server->stop();
  held[0](text("late"));
}
