// The console's language: one table of verbs, and the way from a line to a
// command. A line is a verb and its arguments, separated by spaces; double
// quotes keep spaces together, and inside them \" and \\ stand for themselves:
//
//   waive dl-4711 reason="sent by hand" --json
//
// Arguments are words in the order of the table, then terms NAME=VALUE in any
// order, each once, and the flags --json and --width=N anywhere. `help`,
// parcelctl's options and the shell completions come from the same table.
//
// Owner: none, constant data. Thread rule: pure functions, no CAF type here.
// Errors: invalid_request, a sentence that says what is allowed; a refusal
// never quotes more of a line than a verb or the name of a term.
#pragma once

#include "domain/access.hpp"
#include "domain/failure.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace parcelflow::ops {

enum class verb : std::uint8_t {
  help,
  auth,
  whoami,
  tenant,
  quit,
  health,
  stats,
  tenants,
  streams,
  outbox,
  dead_letters,
  export_letters,
  show,
  find,
  evidence,
  explain,
  plan,
  execute,
  cancel,
  replays,
  progress,
  waive,
  skip,
  redirect,
  resend,
  pause,
  resume,
  pauses,
  tail,
  audit,
  log,
  verify,
  drain,
};

/// What a verb is about, and so what its caller must reach.
enum class scope : std::uint8_t {
  anyone,  ///< needs no login
  login,   ///< a valid token, no tenant
  tenant,  ///< the chosen tenant
  process, ///< the whole process: a token over all tenants
};

enum class shape : std::uint8_t {
  word,   ///< one word, not empty
  number, ///< a whole number
  range,  ///< FROM..TO, FROM.. or one number
  choice, ///< one of `values`
};

struct argument {
  std::string_view name; ///< of a term as written; of a word for help
  shape form = shape::word;
  bool required = false;
  std::string_view values = {}; ///< "a|b|c"
  std::string_view hint = {};   ///< of a term: what stands after the '='
  std::string_view meaning = {};
};

struct verb_entry {
  verb id;
  std::string_view name;
  domain::role needed;
  scope about;
  bool changes; ///< something durable, so that it is asked about twice
  std::span<const argument> words;
  std::span<const argument> terms;
  std::string_view help; ///< one sentence
};

[[nodiscard]] std::span<const verb_entry> verbs();
/// nullptr if there is none of that name.
[[nodiscard]] const verb_entry* find_verb(std::string_view name);

/// "skip CONSUMER ORDER SEQUENCE reason=TEXT".
[[nodiscard]] std::string usage_of(const verb_entry& of);
/// The verbs with a sentence each; or one verb with its arguments.
[[nodiscard]] std::string help_text();
[[nodiscard]] std::string help_text(const verb_entry& of);

struct command {
  const verb_entry* what = nullptr;
  std::vector<std::string> words;
  std::vector<std::pair<std::string, std::string>> terms;
  bool json = false;
  std::size_t width = 0; ///< columns of the reader's screen; 0: any

  /// Empty if it was not given.
  [[nodiscard]] std::string_view term(std::string_view name) const;
  [[nodiscard]] std::string_view word(std::size_t index) const;
};

/// FROM..TO, FROM.. (to: 0), or one number (to: the same). FROM is at least 1.
struct number_range {
  std::uint64_t from = 0;
  std::uint64_t to = 0;
};
[[nodiscard]] std::optional<number_range> range_of(std::string_view text);
[[nodiscard]] std::optional<std::uint64_t> number_of(std::string_view text);

/// A line taken apart; the flags count for a refusal too.
struct parsed_line {
  bool json = false;
  std::size_t width = 0;
  domain::outcome<command> what;
};
/// Nothing for a line without a word.
[[nodiscard]] std::optional<parsed_line> parse_line(std::string_view line);

/// The words of a line, with quotes resolved.
[[nodiscard]] domain::outcome<std::vector<std::string>>
split_words(std::string_view line);
/// The other way: a word that `split_words` gives back as it was.
[[nodiscard]] std::string quoted_word(std::string_view word);

/// Role and scope that this command needs: as its verb's, but the relay and
/// consumers are paused for the whole process.
struct authority {
  domain::role needed;
  scope about;
};
[[nodiscard]] authority authority_of(const command& of);

} // namespace parcelflow::ops
