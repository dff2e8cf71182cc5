#include "support/json_text.hpp"
#include "support/log.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <atomic>
#include <span>
#include <thread>
#include <vector>

namespace parcelflow::support {

namespace {

// Catches lines and puts the levels back.
struct caught {
  std::vector<std::string> lines;
  log::redirection to{
    [this](std::string_view line) { lines.emplace_back(line); }};

  ~caught() {
    log::clear_component_levels();
    log::set_level(log::level::info);
  }

  nlohmann::json last() const { return nlohmann::json::parse(lines.back()); }
};

std::string quoted(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

} // namespace

TEST_CASE("a line is one JSON object: ts, level, component, msg, fields") {
  caught log_lines;
  const std::string tenant = "acme";
  const std::size_t events = 3;
  log::info("relay", "published",
            {{"tenant", tenant},
             {"events", events},
             {"offset", -1},
             {"all", true},
             {"word", "x"}});
  REQUIRE(log_lines.lines.size() == 1);
  // Any digit of the timestamp is as good as another.
  auto line = log_lines.lines[0];
  constexpr std::string_view shape = R"({"ts":"0000-00-00T00:00:00.000Z")";
  for (auto& c : std::span(line).first(shape.size()))
    if (c >= '0' && c <= '9')
      c = '0';
  CHECK(line
        == std::string(shape)
             + R"(,"level":"info","component":"relay","msg":"published",)"
               R"("tenant":"acme","events":3,"offset":-1,"all":true,)"
               R"("word":"x"})");
}

TEST_CASE("hostile text stays one valid line") {
  caught log_lines;
  log::warning("http", "bad\n{\"level\":\"error\"}",
               {{"path", "\x1b[2J\x7f \xc3\x28 \xed\xa0\x80 \xf0\x9f\x98\x80"},
                {"nul", std::string_view("a\0b", 3)},
                {"line", "\u2028\u0085"}});
  REQUIRE(log_lines.lines.size() == 1);
  CHECK(log_lines.lines[0].find('\n') == std::string::npos);
  CHECK(log_lines.lines[0].find('\x1b') == std::string::npos);
  CHECK(log_lines.lines[0].find("\xe2\x80\xa8") == std::string::npos);
  const auto parsed = log_lines.last();
  CHECK(parsed["level"] == "warning");
  CHECK(parsed["msg"] == "bad\n{\"level\":\"error\"}");
  CHECK(parsed["nul"] == std::string("a\0b", 3));
  CHECK(parsed["path"]
        == "\x1b[2J\x7f \ufffd( \ufffd\ufffd\ufffd \xf0\x9f\x98\x80");
}

TEST_CASE("ill-formed UTF-8 is replaced byte by byte, good text is kept") {
  CHECK(quoted("grün €") == "\"grün €\"");
  CHECK(quoted("\xc0\xaf") == R"("\ufffd\ufffd")"); // overlong
  CHECK(quoted("\xe2\x82") == R"("\ufffd\ufffd")"); // cut short
  CHECK(quoted("\xf4\x90\x80\x80") == R"("\ufffd\ufffd\ufffd\ufffd")");
  CHECK(quoted("\xff"
               "a")
        == R"("\ufffda")");
}

TEST_CASE("a string beyond its limit is cut and says so") {
  caught log_lines;
  log::info("t", "long", {{"text", std::string(10000, 'x')}});
  const auto text = log_lines.last()["text"].get<std::string>();
  CHECK(text.size() < 4200);
  CHECK(text.ends_with("[cut, 10000 bytes]"));
}

TEST_CASE("a component's own level wins over the general one") {
  caught log_lines;
  log::debug("relay", "hidden");
  log::set_level("relay", log::level::debug);
  log::debug("relay", "seen");
  log::debug("order", "hidden");
  log::set_level("order", log::level::off);
  log::error("order", "hidden");
  REQUIRE(log_lines.lines.size() == 1);
  CHECK(log_lines.last()["msg"] == "seen");

  log::clear_component_levels();
  CHECK_FALSE(log::enabled(log::level::debug, "relay"));
  CHECK(log::enabled(log::level::error, "order"));
  CHECK_FALSE(log::enabled(log::level::off, "order"));
}

TEST_CASE("levels have names both ways") {
  for (const auto* name :
       {"trace", "debug", "info", "warning", "error", "off"}) {
    REQUIRE(log::level_named(name));
    CHECK(log::to_string(*log::level_named(name)) == name);
  }
  CHECK_FALSE(log::level_named("INFO"));
  CHECK_FALSE(log::level_named(""));
}

TEST_CASE("a sink that throws does not reach the caller") {
  int calls = 0;
  log::redirection broken([&](std::string_view) {
    ++calls;
    throw calls;
  });
  log::error("t", "into the void");
  log::error("t", "again");
  CHECK(calls == 2);
}

TEST_CASE("threads may log and change levels at once; lines stay whole") {
  caught log_lines;
  std::atomic<bool> stop{false};
  std::thread changer([&] {
    while (!stop) {
      log::set_level("worker", log::level::debug);
      log::set_level("other", log::level::trace);
      log::clear_component_levels();
    }
  });
  std::vector<std::thread> writers;
  writers.reserve(4);
  for (int w = 0; w < 4; ++w)
    writers.emplace_back([w] {
      for (int i = 0; i < 200; ++i)
        log::info("worker", "line", {{"writer", w}, {"i", i}});
    });
  for (auto& writer : writers)
    writer.join();
  stop = true;
  changer.join();
  CHECK(log_lines.lines.size() == 800);
  for (const auto& line : log_lines.lines)
    CHECK(nlohmann::json::accept(line));
}

} // namespace parcelflow::support
