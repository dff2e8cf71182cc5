// What parcelctl knows about the terminal it runs on.
// Thread rule: one thread. Errors: none; without a terminal there is no width
// and nobody is asked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace parcelflow::cli {

/// Columns of the screen that answers go to: COLUMNS, else the terminal's; 0 if
/// stdout is none.
[[nodiscard]] std::size_t screen_width();
/// A person sits there: stdin and stderr are a terminal.
[[nodiscard]] bool can_ask();
[[nodiscard]] bool shows_progress(); ///< stderr is a terminal

/// "WHAT: go on? [y/N]" on stderr; true for yes.
[[nodiscard]] bool confirmed(std::string_view what);

/// A sentence on stderr, `parcelctl: …`, red where colours are welcome.
void complain(std::string_view sentence);

/// One line on stderr that is drawn over and over.
class progress_bar {
public:
  progress_bar() = default;
  progress_bar(const progress_bar&) = delete;
  progress_bar& operator=(const progress_bar&) = delete;
  ~progress_bar(); ///< wipes it

  void draw(std::string_view what, std::uint64_t done, std::uint64_t total);

private:
  bool drawn_ = false;
};

} // namespace parcelflow::cli
