#include "codec/audit_json.hpp"

#include "codec/view_members.hpp"

#include <algorithm>

namespace parcelflow::codec {
namespace {

using domain::audit_report;

void write_row(std::string& text, const domain::row_name& of) {
  object_writer out(text);
  out.text("family", of.family).text("kind", of.kind);
  text_if(out, "tenant", of.tenant);
  object_writer key(out.member("key"));
  for (const auto& [name, value] : of.key)
    key.text(name, value);
  key.close();
  out.close();
}

void write_finding(std::string& text, const domain::audit_finding& of) {
  object_writer out(text);
  out.text("invariant", to_string(of.rule));
  write_row(out.member("row"), of.row);
  out.text("what", of.what).close();
}

void write_account(std::string& text, const domain::audit_account& of) {
  object_writer(text)
    .text("consumer", of.consumer)
    .number("events", of.events)
    .number("applied", of.applied)
    .number("declined", of.declined)
    .number("skipped", of.skipped)
    .number("waiting", of.waiting)
    .number("quarantined", of.quarantined)
    .number("pending", of.pending)
    .number("beforeStart", of.before_start)
    .number("wrong", of.wrong)
    .close();
}

void write_pending(object_writer& into, const audit_report& of) {
  object_writer out(into.member("pending"));
  for (std::size_t i = 0; i < of.pending.size(); ++i) {
    const auto way = static_cast<domain::audit_way>(i);
    object_writer one(out.member(to_string(way)));
    one.number("count", of.pending[i].count);
    time(one, "oldest", of.pending[i].oldest);
    one.close();
  }
  out.close();
}

void write_rules(object_writer& into, const audit_report& of) {
  object_writer out(into.member("findingsByInvariant"));
  for (std::size_t i = 0; i < of.findings_by_rule.size(); ++i)
    out.number(to_string(static_cast<domain::audit_rule>(i)),
               of.findings_by_rule[i]);
  out.close();
}

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text;
}

std::string right(std::uint64_t number, std::size_t width) {
  const auto text = std::to_string(number);
  return std::string(width - std::min(width, text.size()), ' ') + text;
}

void append_accounts(std::string& text, const audit_report& of) {
  constexpr std::size_t column = 12;
  text += "\n" + padded("consumer", 18);
  for (const std::string_view name :
       {"events", "applied", "declined", "skipped", "waiting", "quarantined",
        "pending", "before", "wrong"})
    text += std::string(column - name.size(), ' ') + std::string(name);
  for (const auto& one : of.accounts) {
    text += "\n" + padded(one.consumer, 18);
    for (const auto number :
         {one.events, one.applied, one.declined, one.skipped, one.waiting,
          one.quarantined, one.pending, one.before_start, one.wrong})
      text += right(number, column);
  }
  text += "\n";
}

void append_pending(std::string& text, const audit_report& of) {
  for (std::size_t i = 0; i < of.pending.size(); ++i) {
    const auto& [count, oldest] = of.pending[i];
    if (count == 0)
      continue;
    text += "\non its way "
            + std::string(to_string(static_cast<domain::audit_way>(i))) + ": "
            + std::to_string(count);
    if (oldest != 0)
      text += ", since " + support::to_rfc3339(oldest);
  }
}

} // namespace

std::string row_text(const domain::row_name& of) {
  std::string text = of.family + "/" + of.kind;
  if (!of.tenant.empty())
    text += " tenant=" + of.tenant;
  for (const auto& [name, value] : of.key)
    text += " " + name + "=" + value;
  return text;
}

std::string audit_json(const audit_report& of) {
  std::string text;
  object_writer out(text);
  out.raw("clean", of.clean() ? "true" : "false")
    .raw("complete", of.complete ? "true" : "false")
    .text("mode", to_string(of.mode))
    .text("storeId", of.store_id);
  time(out, "asOf", of.as_of);
  out.number("durationMs", of.duration_ms).number("rows", of.rows);
  array(out, "rowsByKind", of.rows_by_kind,
        [](std::string& list, const auto& one) {
          object_writer(list)
            .text("family", one.family)
            .text("kind", one.kind)
            .number("rows", one.rows)
            .close();
        });
  array(out, "consumers", of.accounts, write_account);
  write_pending(out, of);
  out.number("findingsTotal", of.findings_total);
  write_rules(out, of);
  array(out, "findings", of.findings, write_finding);
  out.close();
  return text;
}

std::string audit_text(const audit_report& of) {
  std::string text =
    "audit of store " + of.store_id + " as of " + support::to_rfc3339(of.as_of)
    + ", " + std::string(to_string(of.mode)) + ": " + std::to_string(of.rows)
    + " rows in " + std::to_string(of.duration_ms) + " ms";
  if (!of.complete)
    text += ", stopped on the way";
  append_accounts(text, of);
  append_pending(text, of);
  text += of.clean()
            ? "\nclean\n"
            : "\n" + std::to_string(of.findings_total)
                + (of.findings_total == 1 ? " finding" : " findings") + "\n";
  for (const auto& one : of.findings) {
    text += padded(std::string(to_string(one.rule)), 6) + row_text(one.row)
            + ": " + one.what + "\n";
  }
  if (of.findings_total > of.findings.size())
    text += "… and " + std::to_string(of.findings_total - of.findings.size())
            + " more\n";
  return text;
}

} // namespace parcelflow::codec
