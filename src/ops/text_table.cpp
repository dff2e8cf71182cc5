#include "ops/text_table.hpp"

#include "support/json_text.hpp"

#include <algorithm>

namespace parcelflow::ops {

using codec::json_tree;
using kind = json_tree::kind;

namespace {

constexpr std::size_t gap = 2;
constexpr std::size_t column_min = 6;

/// Characters, not bytes: near enough to columns of a screen.
std::size_t length_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::string cut(const std::string& text, std::size_t most) {
  if (most == 0 || length_of(text) <= most)
    return text;
  std::size_t at = 0;
  for (std::size_t i = 0; i + 1 < most; ++i)
    at += std::max<std::size_t>(support::utf8_length_at(text, at), 1);
  return text.substr(0, at) + "…";
}

void append_padded(std::string& to, const std::string& text,
                   std::size_t width) {
  to += text;
  to.append(width - std::min(width, length_of(text)), ' ');
}

/// A whole day of RFC 3339: "2026-11-30T19:00:00.000Z".
bool is_time(std::string_view text) {
  return text.size() == 24 && text[4] == '-' && text[10] == 'T'
         && text[19] == '.' && text[23] == 'Z';
}

using row = std::vector<std::string>;

std::vector<std::size_t> widths_of(const std::vector<row>& rows,
                                   std::size_t width) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const auto& one : rows)
    for (std::size_t i = 0; i < one.size(); ++i)
      widths[i] = std::max(widths[i], length_of(one[i]));
  if (width == 0)
    return widths;
  const auto total = [&] {
    std::size_t sum = gap * (widths.size() - 1);
    for (const auto one : widths)
      sum += one;
    return sum;
  };
  while (total() > width) {
    auto& widest = *std::ranges::max_element(widths);
    if (widest <= column_min)
      break;
    --widest;
  }
  return widths;
}

std::string text_of(const std::vector<row>& rows, std::size_t width) {
  const auto widths = widths_of(rows, width);
  std::string text;
  for (const auto& one : rows) {
    std::string line;
    for (std::size_t i = 0; i < one.size(); ++i) {
      append_padded(line, cut(one[i], widths[i]), widths[i]);
      line.append(i + 1 < one.size() ? gap : 0, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

bool is_list(const json_tree& value) {
  return value.is == kind::array && !value.members.empty()
         && value.members.front().value.is == kind::object;
}

/// Rows whose cells are short: no item has objects inside.
bool is_table(const json_tree& list) {
  return std::ranges::all_of(list.members, [](const auto& item) {
    return std::ranges::none_of(item.value.members, [](const auto& cell) {
      return cell.value.is == kind::object || is_list(cell.value);
    });
  });
}

std::vector<column> columns_of(const json_tree& items) {
  std::vector<column> columns;
  for (const auto& [unnamed, item] : items.members)
    for (const auto& [name, value] : item.members)
      if (std::ranges::find(columns, name, &column::path) == columns.end())
        columns.push_back({name, name});
  return columns;
}

/// Nothing in it moves the cursor: payloads and reasons come from strangers.
std::string harmless(std::string_view from) {
  std::string text(from);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto here = static_cast<unsigned char>(text[i]);
    const bool c1 = here == 0xC2 && i + 1 < text.size()
                    && static_cast<unsigned char>(text[i + 1]) < 0xA0;
    if (here < 0x20 || here == 0x7f)
      text[i] = ' ';
    else if (c1)
      text.replace(i, 2, "  ");
  }
  return text;
}

void append_indented(std::string& to, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size() - 1) + 1;
    to.append(gap, ' ').append(text, at, end - at);
    at = end;
  }
}

std::string block_of(const json_tree& item, std::size_t width) {
  std::string text;
  append_indented(text, fields_of(item, width));
  if (text.size() > 1)
    text.front() = '-';
  return text;
}

} // namespace

std::string cell_of(const json_tree& value) {
  if (value.is == kind::null)
    return "-";
  if (value.is_container()) {
    std::string text;
    for (const auto& [name, one] : value.members) {
      text += text.empty() ? "" : ", ";
      text += name.empty() ? cell_of(one) : name + " " + cell_of(one);
    }
    return text.empty() ? "-" : text;
  }
  if (is_time(value.value))
    return value.value.substr(0, 10) + " " + value.value.substr(11, 12);
  return value.value.empty() ? "-" : harmless(value.value);
}

std::string table_of(const json_tree& items, std::span<const column> columns,
                     std::size_t width) {
  std::vector<row> rows(1);
  for (const auto& one : columns)
    rows.front().emplace_back(one.head);
  for (const auto& [unnamed, item] : items.members) {
    rows.emplace_back();
    for (const auto& one : columns)
      rows.back().push_back(cell_of(item.at(one.path)));
  }
  return text_of(rows, width);
}

std::string fields_of(const json_tree& object, std::size_t width) {
  const auto inner = width > 2 * gap ? width - gap : width;
  std::size_t longest = 0;
  for (const auto& [name, value] : object.members)
    if (!value.is_container())
      longest = std::max(longest, name.size());
  std::string text;
  for (const auto& [name, value] : object.members) {
    if (is_list(value)) {
      text += name + ":\n";
      if (is_table(value))
        append_indented(text, table_of(value, columns_of(value), inner));
      else
        for (const auto& [unnamed, item] : value.members)
          append_indented(text, block_of(item, inner));
    } else if (value.is == kind::object && !value.members.empty()) {
      text += name + ":\n";
      append_indented(text, fields_of(value, inner));
    } else {
      append_padded(text, name, longest + gap);
      text += (longest < name.size() ? "  " : "") + cell_of(value) + '\n';
    }
  }
  return text;
}

} // namespace parcelflow::ops
