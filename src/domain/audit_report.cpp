#include "domain/audit_report.hpp"

namespace parcelflow::domain {

std::string_view to_string(audit_rule of) noexcept {
  switch (of) {
  case audit_rule::intake_atom: return "I1";
  case audit_rule::accounting: return "I4";
  case audit_rule::one_effect: return "I5";
  case audit_rule::consumer_atom: return "I6";
  case audit_rule::quarantine_atom: return "I7";
  case audit_rule::replay_identity: return "I8";
  case audit_rule::tenancy: return "I9";
  case audit_rule::whole_rows: return "I11";
  case audit_rule::stock: return "I13";
  case audit_rule::books: return "books";
  }
  return "unknown";
}

std::string_view meaning_of(audit_rule of) noexcept {
  switch (of) {
  case audit_rule::intake_atom: return "order, key and events: all or none";
  case audit_rule::accounting: return "every event is accounted for";
  case audit_rule::one_effect: return "one job an order, one send a template";
  case audit_rule::consumer_atom: return "position, inbox and effect agree";
  case audit_rule::quarantine_atom: return "what waits has its evidence";
  case audit_rule::replay_identity: return "replays keep the event";
  case audit_rule::tenancy: return "nobody crosses tenants";
  case audit_rule::whole_rows: return "every row parses";
  case audit_rule::stock: return "reserved is what orders hold";
  case audit_rule::books: return "cursors and receipts fit the outbox";
  }
  return "unknown";
}

std::string_view to_string(audit_way of) noexcept {
  switch (of) {
  case audit_way::to_the_bus: return "to_the_bus";
  case audit_way::to_a_consumer: return "to_a_consumer";
  case audit_way::to_dead_letters: return "to_dead_letters";
  case audit_way::to_an_order: return "to_an_order";
  }
  return "unknown";
}

std::string_view to_string(audit_mode of) noexcept {
  switch (of) {
  case audit_mode::running: return "running";
  case audit_mode::stopped: return "stopped";
  case audit_mode::at_rest: return "at_rest";
  }
  return "unknown";
}

} // namespace parcelflow::domain
