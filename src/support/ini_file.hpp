// A strict INI reader. Sections, `key = value`, comments on lines of their own
// that begin with # or ;. A value may be quoted with "…" (nothing is escaped
// inside), which keeps blanks at its ends and allows # and ; in it. Whatever
// could be a slip is refused with its line: a key outside a section, a key
// given twice, an unquoted value with a comment behind it, control characters.
//
// Thread rule: pure functions. Errors: a value that names file and line; the
// meaning of keys is the caller's.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace parcelflow::support {

struct ini_entry {
  std::string section;
  std::string key;
  std::string value;
  std::size_t line = 0; ///< from 1
};

struct ini_fault {
  std::string file;
  std::size_t line = 0; ///< 0: the file as a whole
  std::string message;

  /// "file:line: message", as editors jump to it.
  [[nodiscard]] std::string text() const;
};

/// The entries in the order of the file, or the first fault.
struct ini_result {
  std::vector<ini_entry> entries;
  std::optional<ini_fault> fault;
};

inline constexpr std::size_t ini_line_bytes_max = 4096;
inline constexpr std::size_t ini_file_bytes_max = 1024 * 1024;

/// `file` only names the text in faults.
[[nodiscard]] ini_result parse_ini(std::string_view text,
                                   std::string_view file);

[[nodiscard]] ini_result load_ini(const std::string& path);

} // namespace parcelflow::support
