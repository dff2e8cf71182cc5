#include "app/doctor_report.hpp"

#include "codec/audit_json.hpp"
#include "codec/view_members.hpp"

namespace parcelflow::app {
namespace {

using storage::diagnosis;
using storage::prognosis;

std::string counted(std::uint64_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string headline(const diagnosis& of) {
  switch (of.finding) {
  case prognosis::whole:
    return "whole: nothing that was acknowledged is missing, every file checks";
  case prognosis::torn_tail:
    return "a harmless torn tail: the log ends in a write that was never "
           "acknowledged; nothing that was acknowledged is missing";
  case prognosis::rows_missing:
    return "rows that were acknowledged are missing";
  case prognosis::contradictory:
    return "every file checks, but rows contradict each other";
  case prognosis::damaged: return "damaged";
  }
  return "";
}

/// How far each witness goes.
std::string reach(const diagnosis& of) {
  std::string text;
  if (of.acknowledged)
    text += "acknowledged up to sequence " + std::to_string(*of.acknowledged)
            + " (acked.mark)\n";
  if (of.recovered)
    text += "recovers up to sequence " + std::to_string(*of.recovered) + "\n";
  if (of.recovered && of.seen_in_log > *of.recovered)
    text += "the log holds whole rounds behind the damage, up to sequence "
            + std::to_string(of.seen_in_log)
            + ": what lies between was on stable storage\n";
  return text;
}

std::string missing(const diagnosis& of) {
  if (of.lost_events == 0)
    return "";
  std::string text = counted(of.lost_events, "event")
                     + " can still be read behind the damage, and would be "
                       "lost:\n";
  for (const auto& one : of.lost)
    text += "  outbox " + std::to_string(one.position) + ": " + one.event_type
            + " tenant=" + one.tenant_id + " order=" + one.order_id + "\n";
  if (of.lost.size() < of.lost_events)
    text +=
      "  … and " + std::to_string(of.lost_events - of.lost.size()) + " more\n";
  return text;
}

std::string contradictions(const diagnosis& of) {
  if (of.audit.findings_total == 0)
    return "";
  std::string text = counted(of.audit.findings_total, "finding")
                     + " of the audit of what is left:\n";
  for (const auto& one : of.audit.findings)
    text += "  " + codec::row_text(one.row) + " " + one.what + "\n";
  return text;
}

std::string advice(const diagnosis& of, const std::string& directory) {
  const std::string restore =
    "keep " + directory
    + " as it is, restore the last backup into another directory, whole, and "
      "start the daemon there";
  switch (of.finding) {
  case prognosis::whole:
    return of.repaired_to.empty()
             ? "start the daemon"
             : "start the daemon with --data.directory=" + of.repaired_to;
  case prognosis::torn_tail:
    return of.repaired_to.empty()
             ? "run this again with --repair-to NEWDIR, then start the daemon "
               "there"
             : "start the daemon with --data.directory=" + of.repaired_to
                 + "; keep " + directory
                 + " until it runs. Files of yours in it (tokens, say) were "
                   "not copied";
  case prognosis::rows_missing:
    return restore
           + ". Orders placed since that backup have to be compared with what "
             "clients were told";
  case prognosis::contradictory:
    return restore + "; the findings name the rows to ask about";
  case prognosis::damaged:
    return restore + ". If the disk made this, replace it first";
  }
  return "";
}

void write_lost(std::string& text, const storage::lost_event& of) {
  codec::object_writer(text)
    .number("outboxPosition", of.position)
    .text("tenant", of.tenant_id)
    .text("orderId", of.order_id)
    .text("eventType", of.event_type)
    .close();
}

} // namespace

std::string diagnosis_text(const diagnosis& of, const std::string& directory) {
  std::string text = directory + ": " + headline(of) + "\n";
  text += reach(of);
  for (const auto& line : of.dropped)
    text += "dropped: " + line + "\n";
  for (const auto& line : of.damage)
    text += "damage: " + line + "\n";
  text += missing(of) + contradictions(of);
  if (!of.repaired_to.empty())
    text += "written: " + of.repaired_to + "\n";
  return text + "what to do: " + advice(of, directory) + ".\n";
}

std::string diagnosis_json(const diagnosis& of, const std::string& directory) {
  const auto quote = [](std::string& text, const std::string& line) {
    codec::append_quoted(text, line);
  };
  std::string text;
  codec::object_writer out(text);
  out.text("directory", directory).text("finding", to_string(of.finding));
  if (of.refusal)
    out.text("refusal", to_string(of.refusal->code))
      .text("refusalDetail", of.refusal->detail);
  if (of.acknowledged)
    out.number("acknowledgedSequence", *of.acknowledged);
  if (of.recovered)
    out.number("recoveredSequence", *of.recovered)
      .number("seenInLogSequence", of.seen_in_log);
  codec::array(out, "dropped", of.dropped, quote);
  codec::array(out, "damage", of.damage, quote);
  out.number("lostEvents", of.lost_events);
  codec::array(out, "lost", of.lost, write_lost);
  if (of.audit.complete)
    out.raw("audit", codec::audit_json(of.audit));
  codec::text_if(out, "repairedTo", of.repaired_to);
  out.text("advice", advice(of, directory)).close();
  return text;
}

} // namespace parcelflow::app
