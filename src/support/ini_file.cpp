#include "support/ini_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <utility>

namespace parcelflow::support {

namespace {

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos)
    return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= 64
         && std::ranges::all_of(text, [](char c) {
              return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')
                     || c == '_';
            });
}

bool has_control(std::string_view text) {
  return std::ranges::any_of(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\t') || byte == 0x7F;
  });
}

class parser {
public:
  explicit parser(std::string_view file) : file_(file) {}

  ini_result parse(std::string_view text) && {
    if (text.size() > ini_file_bytes_max)
      refuse("the file is longer than 1 MiB");
    while (!text.empty() && !result_.fault) {
      const auto end = std::min(text.find('\n'), text.size());
      auto line = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      if (line.ends_with('\r'))
        line.remove_suffix(1);
      ++line_;
      take(line);
    }
    if (result_.fault)
      result_.entries.clear();
    return std::move(result_);
  }

private:
  void refuse(std::string message) {
    result_.fault = ini_fault{std::string(file_), line_, std::move(message)};
  }

  void take(std::string_view line) {
    if (line.size() > ini_line_bytes_max)
      return refuse("the line is longer than 4096 bytes");
    if (line.find('\0') != std::string_view::npos)
      return refuse("the line holds a NUL byte");
    if (has_control(line))
      return refuse("the line holds a control character");
    line = trimmed(line);
    if (line.empty() || line[0] == '#' || line[0] == ';')
      return;
    if (line[0] == '[')
      return take_section(line);
    take_entry(line);
  }

  void take_section(std::string_view line) {
    if (!line.ends_with(']') || !is_name(trimmed(inside(line))))
      return refuse("a section is [name], name of a-z, 0-9 and _");
    section_ = trimmed(inside(line));
  }

  void take_entry(std::string_view line) {
    const auto equals = line.find('=');
    if (equals == std::string_view::npos)
      return refuse("expected `key = value`, a [section] or a # comment");
    const std::string key(trimmed(line.substr(0, equals)));
    if (!is_name(key))
      return refuse("a key is made of a-z, 0-9 and _");
    if (section_.empty())
      return refuse("`" + key + "` stands outside a section");
    const auto [first, fresh] =
      seen_.try_emplace(std::pair(section_, key), line_);
    if (!fresh)
      return refuse("`" + section_ + "." + key + "` was given already on line "
                    + std::to_string(first->second));
    take_value(key, trimmed(line.substr(equals + 1)));
  }

  void take_value(const std::string& key, std::string_view value) {
    if (value.starts_with('"')) {
      if (value.size() < 2 || !value.ends_with('"')
          || inside(value).find('"') != std::string_view::npos)
        return refuse("a quoted value ends with its second quote");
      value = inside(value);
    } else if (value.find('"') != std::string_view::npos) {
      return refuse("quotes go around the whole value");
    } else if (value.find_first_of("#;") != std::string_view::npos) {
      return refuse("a comment has a line of its own; a value with # or ; "
                    "is quoted");
    }
    result_.entries.push_back({section_, key, std::string(value), line_});
  }

  static std::string_view inside(std::string_view text) {
    return text.substr(1, text.size() - 2);
  }

  std::string_view file_;
  std::size_t line_ = 0;
  std::string section_;
  std::map<std::pair<std::string, std::string>, std::size_t> seen_;
  ini_result result_;
};

} // namespace

std::string ini_fault::text() const {
  const auto place = line == 0 ? file : file + ":" + std::to_string(line);
  return place + ": " + message;
}

ini_result parse_ini(std::string_view text, std::string_view file) {
  return parser(file).parse(text);
}

ini_result load_ini(const std::string& path) {
  const auto failed = [&](const char* what) {
    return ini_result{{}, ini_fault{path, 0, what}};
  };
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in)
    return failed(errno != 0 ? std::strerror(errno) : "cannot be opened");
  std::string text(ini_file_bytes_max + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad() || (in.fail() && !in.eof()))
    return failed("cannot be read");
  text.resize(static_cast<std::size_t>(in.gcount()));
  return parse_ini(text, path);
}

} // namespace parcelflow::support
