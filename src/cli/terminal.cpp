#include "cli/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>

namespace parcelflow::cli {

namespace {

constexpr std::size_t width_if_unknown = 80;

bool wants_colour() {
  const char* no = std::getenv("NO_COLOR");
  return ::isatty(STDERR_FILENO) == 1 && (no == nullptr || *no == '\0');
}

std::size_t columns_of(int descriptor) {
  winsize size{};
  return ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

} // namespace

std::size_t screen_width() {
  if (const char* text = std::getenv("COLUMNS"); text != nullptr)
    if (const auto columns = std::strtoul(text, nullptr, 10);
        columns > 0 && columns < 10'000)
      return columns;
  return ::isatty(STDOUT_FILENO) == 1 ? columns_of(STDOUT_FILENO) : 0;
}

bool can_ask() {
  return ::isatty(STDIN_FILENO) == 1 && ::isatty(STDERR_FILENO) == 1;
}

bool shows_progress() {
  return ::isatty(STDERR_FILENO) == 1;
}

bool confirmed(std::string_view what) {
  std::cerr << what << ": go on? [y/N] " << std::flush;
  std::string answer;
  return std::getline(std::cin, answer) && (answer == "y" || answer == "yes");
}

void complain(std::string_view sentence) {
  while (!sentence.empty() && sentence.back() == '\n')
    sentence.remove_suffix(1);
  const bool colour = wants_colour();
  std::cerr << (colour ? "\x1b[31m" : "") << "parcelctl: " << sentence
            << (colour ? "\x1b[0m" : "") << "\n";
}

void progress_bar::draw(std::string_view what, std::uint64_t done,
                        std::uint64_t total) {
  const auto screen = columns_of(STDERR_FILENO);
  const auto counts =
    std::to_string(done) + (total > 0 ? "/" + std::to_string(total) : "");
  const auto around = what.size() + counts.size() + 6;
  const auto width = screen == 0 ? width_if_unknown : screen;
  const auto room =
    width > around ? std::min<std::size_t>(width - around, 40) : 0;
  const auto full =
    total > 0 ? static_cast<std::size_t>(room * std::min(done, total) / total)
              : 0;
  std::cerr << "\r\x1b[K" << what << " [" << std::string(full, '#')
            << std::string(room - full, '.') << "] " << counts << std::flush;
  drawn_ = true;
}

progress_bar::~progress_bar() {
  if (drawn_)
    std::cerr << "\r\x1b[K" << std::flush;
}

} // namespace parcelflow::cli
