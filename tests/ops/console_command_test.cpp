// The console's language: every verb, and every way to get it wrong.
#include "ops/console_command.hpp"

#include <doctest/doctest.h>

#include <map>
#include <set>

using namespace parcelflow;
using domain::failure;
using ops::scope;
using ops::verb;

namespace {

ops::command obeyed(const std::string& line) {
  auto parsed = ops::parse_line(line);
  REQUIRE(parsed.has_value());
  REQUIRE_MESSAGE(parsed->what.ok(), line << ": " << parsed->what.why().detail);
  return *parsed->what;
}

std::string refusal(const std::string& line) {
  const auto parsed = ops::parse_line(line);
  REQUIRE(parsed.has_value());
  REQUIRE_MESSAGE(!parsed->what.ok(), line);
  CHECK(parsed->what.why().code == failure::invalid_request);
  return parsed->what.why().detail;
}

bool holds(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// A line that each verb takes.
const std::map<std::string, verb> samples = {
  {"help", verb::help},
  {"help skip", verb::help},
  {"auth pft_x", verb::auth},
  {"whoami", verb::whoami},
  {"tenant tn-a", verb::tenant},
  {"quit", verb::quit},
  {"health", verb::health},
  {"stats", verb::stats},
  {"tenants limit=5 cursor=abc", verb::tenants},
  {"streams consumer=fulfillment-v1", verb::streams},
  {"outbox", verb::outbox},
  {"dead-letters state=open cause=SEQUENCE_GAP version=2 text=\"no stock\"",
   verb::dead_letters},
  {"export since=7d cause=SEQUENCE_GAP", verb::export_letters},
  {"show dl-1 payload=yes", verb::show},
  {"find cart-1", verb::find},
  {"find a=b", verb::find},
  {"evidence ord-1", verb::evidence},
  {"explain ord-1", verb::explain},
  {"plan consumer=fulfillment-v1 since=2h", verb::plan},
  {"execute pln-1 rate=10 reason=fixed", verb::execute},
  {"cancel rpl-1", verb::cancel},
  {"replays", verb::replays},
  {"progress pln-1", verb::progress},
  {"waive dl-1 reason=\"sent by hand\"", verb::waive},
  {"skip fulfillment-v1 ord-1 3 reason=lost", verb::skip},
  {"redirect fulfillment-v1 ord-1 fulfillment-v2 reason=new", verb::redirect},
  {"resend fulfillment-v1 ord-1", verb::resend},
  {"resend fulfillment-v1 ord-1 2..4", verb::resend},
  {"pause relay reason=repair", verb::pause},
  {"pause consumer fulfillment-v1 reason=repair", verb::pause},
  {"pause tenant reason=repair", verb::pause},
  {"pause stream ord-1 fulfillment-v1 reason=repair", verb::pause},
  {"resume stream ord-1", verb::resume},
  {"pauses", verb::pauses},
  {"tail consumer=fulfillment-v1 verdict=gap", verb::tail},
  {"audit", verb::audit},
  {"log limit=10", verb::log},
  {"verify", verb::verify},
  {"drain reason=upgrade", verb::drain},
};

} // namespace

TEST_CASE("every verb of the table has a line that it takes") {
  std::set<verb> seen;
  for (const auto& sample : samples) {
    CAPTURE(sample.first);
    CHECK(obeyed(sample.first).what->id == sample.second);
    seen.insert(sample.second);
  }
  for (const auto& one : ops::verbs())
    CHECK_MESSAGE(seen.contains(one.id), one.name);
}

TEST_CASE("every verb explains itself and each of its arguments") {
  for (const auto& one : ops::verbs()) {
    CAPTURE(one.name);
    CHECK(ops::find_verb(one.name) == &one);
    CHECK(one.help.ends_with('.'));
    CHECK(holds(ops::help_text(), one.name));
    const auto text = ops::help_text(one);
    for (const auto& argument : one.words)
      CHECK(holds(text, argument.name));
    for (const auto& argument : one.terms) {
      CHECK(holds(text, std::string(argument.name) + "="));
      CHECK_FALSE(argument.meaning.empty());
    }
  }
}

TEST_CASE("words, terms and flags come in any sensible order") {
  const auto skip =
    obeyed("  skip\tfulfillment-v1 reason=\"it \\\"hangs\\\"\" ord-1 --json 3 "
           "--width=80 ");
  CHECK(skip.word(0) == "fulfillment-v1");
  CHECK(skip.word(2) == "3");
  CHECK(skip.term("reason") == R"(it "hangs")");
  CHECK(skip.json);
  CHECK(skip.width == 80);
  CHECK(obeyed("dead-letters text=\"a b\"").term("text") == "a b");
  CHECK(obeyed("dead-letters text=a=b").term("text") == "a=b");
}

TEST_CASE("a quoted word comes back as it was") {
  for (const std::string word :
       {"plain", "two words", R"(a "b" \c)", "", "tab\there", R"(\)"}) {
    const auto words = ops::split_words("x " + ops::quoted_word(word));
    REQUIRE(words.ok());
    REQUIRE(words->size() == 2);
    CHECK((*words)[1] == word);
  }
}

TEST_CASE("a line without a word asks for nothing") {
  CHECK_FALSE(ops::parse_line("").has_value());
  CHECK_FALSE(ops::parse_line("  \t ").has_value());
  CHECK_FALSE(ops::parse_line("--json").has_value());
}

TEST_CASE("a wrong line is told what is allowed") {
  CHECK(holds(refusal("frobnicate"), "help"));
  CHECK(holds(refusal("whoami now"), "too many words"));
  CHECK(holds(refusal("show"), "show DEAD-LETTER"));
  CHECK(holds(refusal("waive dl-1"), "reason=TEXT"));
  CHECK(holds(refusal("waive dl-1 reason="), "reason must not be empty"));
  CHECK(holds(refusal("skip a b c reason=x"), "SEQUENCE must be a whole"));
  CHECK(holds(refusal("resend a b 4..2"), "3..7"));
  CHECK(holds(refusal("resend a b 0"), "3..7"));
  CHECK(holds(refusal("dead-letters state=closed"), "open, replaying"));
  CHECK(holds(refusal("dead-letters colour=red"), "allowed: state, cause"));
  CHECK(holds(refusal("dead-letters version=two"), "whole number"));
  CHECK(holds(refusal("dead-letters state=open state=open"), "twice"));
  CHECK(holds(refusal("pause"), "relay|consumer|tenant|stream"));
  CHECK(holds(refusal("pause everything reason=x"), "relay, consumer"));
  CHECK(holds(refusal("pause consumer reason=x"), "NAME is missing"));
  CHECK(holds(refusal("pause stream reason=x"), "ORDER is missing"));
  CHECK(holds(refusal("pause relay now reason=x"), "too many words"));
  CHECK(holds(refusal("tenants --width=wide"), "--width"));
  CHECK(holds(refusal("waive dl-1 reason=\"open"), "quote"));
}

TEST_CASE("a refusal quotes neither a token nor a value") {
  for (const std::string line :
       {"auth pft_secret more", "pft_secret", "show dl-1 pft_secret",
        "dead-letters state=pft_secret", "auth pft_secret \"open",
        "dead-letters x=pft_secret"})
    CHECK_FALSE(holds(refusal(line), "pft_secret"));
}

TEST_CASE("bytes that are no text are refused as such") {
  for (const auto& line :
       {std::string("show \x01"), std::string("show \xff\xfe"),
        std::string("show a\0b", 8), std::string("\x1b[31mhelp"),
        std::string("\xc0\x80")})
    CHECK(holds(refusal(line), "no text"));
  CHECK(obeyed("find kürbis").word(0) == "kürbis");
}

TEST_CASE("the whole process is paused by admins over all tenants alone") {
  const auto needs = [](const std::string& line) {
    return ops::authority_of(obeyed(line));
  };
  CHECK(needs("pause relay reason=x").about == scope::process);
  CHECK(needs("resume consumer a").needed == domain::role::admin);
  CHECK(needs("pause tenant reason=x").about == scope::tenant);
  CHECK(needs("pause stream o reason=x").needed == domain::role::responder);
  CHECK(needs("outbox").about == scope::process);
  CHECK(needs("show dl-1").about == scope::tenant);
}
