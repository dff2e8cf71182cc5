#include "ops/console_render.hpp"

#include "codec/json_text.hpp"
#include "ops/text_table.hpp"
#include "support/assert.hpp"

#include <algorithm>
#include <span>

namespace parcelflow::ops {

using codec::json_tree;

namespace {

constexpr column letters[] = {{"ID", "deadLetterId"},
                              {"STATE", "state"},
                              {"CAUSE", "cause"},
                              {"CONSUMER", "consumer"},
                              {"ORDER", "aggregateId"},
                              {"EXPECTED", "expectedSequence"},
                              {"OBSERVED", "observedSequence"},
                              {"FIRST SEEN", "firstSeen"},
                              {"SEEN", "seen"}};
constexpr column streams[] = {{"CONSUMER", "consumer"},
                              {"ORDER", "aggregateId"},
                              {"POSITION", "streamPosition"},
                              {"CAUSE", "cause"},
                              {"SINCE", "since"},
                              {"EVENTS", "events"},
                              {"HEAD", "headType"},
                              {"NEXT", "nextAttemptAt"},
                              {"DEAD LETTER", "deadLetterId"}};
constexpr column replays[] = {{"REPLAY", "replayId"}, {"STATE", "state"},
                              {"DONE", "done"},       {"TOTAL", "total"},
                              {"ACTOR", "actor"},     {"STARTED", "startedAt"},
                              {"ENDED", "endedAt"},   {"FILTER", "filter"}};
constexpr column report[] = {{"DEAD LETTER", "deadLetterId"},
                             {"CONSUMER", "consumer"},
                             {"ORDER", "aggregateId"},
                             {"SEQ", "aggregateSequence"},
                             {"PREDICTED", "predicted"},
                             {"STATE", "state"},
                             {"VIA", "via"},
                             {"REASON", "reason"}};
constexpr column entries[] = {
  {"POSITION", "position"}, {"AT", "at"},           {"ACTOR", "actor"},
  {"TENANT", "tenant"},     {"VERB", "verb"},       {"TARGET", "target"},
  {"REASON", "reason"},     {"ALLOWED", "allowed"}, {"COUNT", "count"}};
constexpr column verdicts[] = {{"AT", "at"},
                               {"VERDICT", "verdict"},
                               {"CONSUMER", "consumer"},
                               {"ORDER", "aggregateId"},
                               {"SEQ", "aggregateSequence"},
                               {"EVENT", "eventId"},
                               {"VIA", "via"}};

/// The chosen columns of a verb's table; none: whatever its items have.
std::span<const column> columns_of(verb of) {
  switch (of) {
  case verb::dead_letters:
  case verb::export_letters: return letters;
  case verb::streams: return streams;
  case verb::replays: return replays;
  case verb::evidence: return report;
  case verb::log: return entries;
  case verb::tail: return verdicts;
  default: return {};
  }
}

std::vector<column> all_columns(const json_tree& items) {
  std::vector<column> columns;
  for (const auto& [unnamed, item] : items.members)
    for (const auto& [name, value] : item.members)
      if (std::ranges::find(columns, name, &column::path) == columns.end())
        columns.push_back({name, name});
  return columns;
}

/// Everything around the items of a list, then the items.
std::string list_text(const json_tree& document, verb of, std::size_t width) {
  json_tree around;
  around.is = json_tree::kind::object;
  std::string next;
  for (const auto& [name, value] : document.members)
    if (name == "nextCursor")
      next = value.value;
    else if (name != "items")
      around.members.push_back({name, value});
  auto text = fields_of(around, width);
  const auto& list = document.at("items");
  if (list.members.empty())
    return text + (next.empty() ? "none\n" : "none on this page\n");
  const auto chosen = columns_of(of);
  text += chosen.empty() ? table_of(list, all_columns(list), width)
                         : table_of(list, chosen, width);
  if (!next.empty())
    text += "more: cursor=" + next + "\n";
  return text;
}

std::string text_of(std::string_view document, verb of, std::size_t width) {
  const auto tree = codec::parse_tree(document);
  PF_ASSERT(tree.ok()); // our own JSON
  return tree->at("items").is == json_tree::kind::array
           ? list_text(*tree, of, width)
           : fields_of(*tree, width);
}

std::string stuffed(std::string_view text) {
  std::string out;
  bool at_start = true;
  for (const char c : text) {
    if (at_start && c == '.')
      out += '.';
    out += c;
    at_start = c == '\n';
  }
  if (!at_start)
    out += '\n';
  return out;
}

} // namespace

std::string present(const presentation& how, verb of,
                    std::string_view document) {
  if (how.json)
    return std::string(document) + '\n';
  return stuffed(text_of(document, of, how.width)) + ".\n";
}

std::string present(const presentation& how, const domain::fault& why) {
  const auto name = domain::to_string(why.code);
  if (!how.json)
    return stuffed("error " + std::string(name) + ": " + why.detail) + ".\n";
  std::string text;
  codec::object_writer out(text);
  codec::object_writer error(out.member("error"));
  error.text("failure", name).text("detail", why.detail).close();
  out.close();
  return text + '\n';
}

std::string present_text(const presentation& how, std::string_view text) {
  if (!how.json)
    return stuffed(text) + ".\n";
  std::string line;
  codec::object_writer out(line);
  out.text("text", text).close();
  return line + '\n';
}

std::string present_row(const presentation& how, verb of,
                        std::string_view document) {
  if (how.json)
    return std::string(document) + '\n';
  const auto tree = codec::parse_tree(document);
  PF_ASSERT(tree.ok());
  if (const auto lost = tree->at("notShown").number(); lost > 0)
    return std::to_string(lost)
           + " more, not shown: they fall faster than they are read\n";
  std::string line;
  for (const auto& one : columns_of(of))
    line.append(line.empty() ? "" : "  ").append(cell_of(tree->at(one.path)));
  return stuffed(line);
}

} // namespace parcelflow::ops
