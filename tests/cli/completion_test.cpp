// What parcelctl offers to complete, and which exit code a refusal ends with.
#include "cli/completion.hpp"
#include "cli/console_client.hpp"
#include "cli/console_link.hpp"
#include "cli/exit_codes.hpp"
#include "cli/shell.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace parcelflow;
using cli::completions_of;

namespace {

using words = std::vector<std::string>;

bool offers(std::string_view line, std::string_view word) {
  const auto all = completions_of(line);
  return std::ranges::find(all, word) != all.end();
}

} // namespace

TEST_CASE("verbs, choices and terms are completed where they may stand") {
  CHECK(completions_of("dead") == words{"dead-letters"});
  CHECK(completions_of("dead-letters sta")
        == words{"state="
                 "open",
                 "state=replaying", "state=resolved", "state=waived"});
  CHECK(completions_of("dead-letters cause=SEQUENCE_G")
        == words{"cause=SEQUENCE_GAP"});
  CHECK(completions_of("pause rel") == words{"relay"});
  CHECK(offers("help ", "redirect"));
  CHECK(offers("waive dl-1 ", "reason="));
  CHECK(completions_of("nonsense ").empty());
  CHECK(completions_of("waive dl-1 reason=\"half ").empty());
  CHECK(completions_of("").size() == ops::verbs().size());
}

TEST_CASE("a session's own verbs are no commands") {
  const auto all = cli::one_shot_verbs();
  for (const std::string_view verb : {"auth", "tenant", "quit"})
    CHECK(std::ranges::find(all, verb) == all.end());
  CHECK(all.size() == ops::verbs().size() - 3);
}

TEST_CASE("a refusal is told from an answer, as text and as JSON") {
  CHECK(cli::failure_in("error not_found: nothing") == "not_found");
  CHECK(cli::failure_in(R"({"error":{"failure":"forbidden","detail":""}})")
        == "forbidden");
  CHECK(cli::failure_in("errors  0").empty());
  CHECK(cli::failure_in(R"({"items":[]})").empty());
}

TEST_CASE("exit codes tell usage, absence, denial and try-again apart") {
  CHECK(cli::exit_code_of("invalid_request") == cli::exit_usage);
  CHECK(cli::exit_code_of("not_found") == cli::exit_data);
  CHECK(cli::exit_code_of("forbidden") == cli::exit_denied);
  CHECK(cli::exit_code_of("overloaded") == cli::exit_try_later);
  CHECK(cli::exit_code_of("storage_io") == cli::exit_io);
  CHECK(cli::exit_code_of("no such name") == cli::exit_internal);
}

TEST_CASE("a command's line means that command") {
  for (const std::string line :
       {R"(waive dl-1 reason="sent \"by\" hand")", "resend f o 2..3",
        "dead-letters text=\"a b\" state=open"}) {
    const auto parsed = ops::parse_line(line);
    REQUIRE(parsed.has_value());
    REQUIRE(parsed->what.ok());
    CHECK(cli::line_of(*parsed->what) == line);
  }
}
