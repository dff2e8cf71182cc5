// Members that several views share. Included by the view's .cpp files only.
// Thread rule: plain values. Errors: none.
#pragma once

#include "codec/json_text.hpp"
#include "codec/view_json.hpp"

#include <string_view>

namespace parcelflow::codec {

/// An instant; left out if it is 0.
inline void time(object_writer& into, std::string_view name,
                 support::unix_ms at) {
  if (at != 0)
    into.text(name, support::to_rfc3339(at));
}

inline void text_if(object_writer& into, std::string_view name,
                    std::string_view value) {
  if (!value.empty())
    into.text(name, value);
}

/// A place in a shared log: as it is for admins, a keyed hash for others.
inline void position(object_writer& into, std::string_view name,
                     std::string_view value, const viewer& who) {
  if (who.sees_positions())
    into.text(name, value);
  else
    into.text(name, who.veil->veil(value));
}

/// An array; `write` appends one item to the text.
template <class Items, class Write>
void array(object_writer& into, std::string_view name, const Items& items,
           const Write& write) {
  auto& text = into.member(name) += '[';
  bool first = true;
  for (const auto& item : items) {
    if (!first)
      text += ',';
    first = false;
    write(text, item);
  }
  text += ']';
}

/// `id_name` empty: the id is not shown.
void write_stage(object_writer& into, std::string_view name,
                 const domain::stage& of, std::string_view id_name,
                 const viewer& who);
void write_inbox_entry(std::string& text, const domain::inbox_entry& of);
/// The members "fulfillment" and "notifications".
void write_effects(object_writer& into, const domain::order_view& of);

} // namespace parcelflow::codec
