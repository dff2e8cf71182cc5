// I1 and I4 at the source: orders, their keys, their events.
#include "codec/event_json.hpp"
#include "codec/utc_time.hpp"
#include "domain/inventory.hpp"
#include "storage/audit_book.hpp"
#include "storage/consumer_store.hpp"
#include "storage/keys.hpp"

#include <algorithm>
#include <map>
#include <memory>

namespace parcelflow::storage {
namespace {

using domain::order;
using domain::order_state;

class order_checks {
public:
  explicit order_checks(audit_book& book)
    : book_(book), published_up_to_(book.published_up_to()) {}

  void visit_order(const audited_row& row) {
    auto key = row.parts();
    const auto tenant = key.text();
    const auto id = key.text();
    const auto of =
      book_.whole(row, domain::decode_order(tenant, id, row.value));
    if (!of)
      return;
    check_key_of(row, *of);
    check_steps(row, *of);
    check_reservation(row, *of);
  }

  void visit_key(const audited_row& row) {
    auto key = row.parts();
    const auto tenant = key.text();
    const auto text = key.text();
    const auto names = book_.whole(row, decode_key(row.value));
    if (!names)
      return;
    if (!book_.has(owner::order, order_key(tenant, names->order_id)))
      return book_.find(audit_rule::intake_atom, row,
                        "names order " + printable(names->order_id)
                          + ", which does not exist");
    const auto of = book_.order(tenant, names->order_id);
    if (!of)
      return; // its own row says so
    if (of->idempotency_key != text)
      book_.find(audit_rule::intake_atom, row,
                 "names order " + of->order_id + ", which has another key");
    else if (of->fingerprint != names->fingerprint)
      book_.find(audit_rule::intake_atom, row,
                 "has another fingerprint than its order " + of->order_id);
  }

  /// An event id of its own stands in the step that it names, and there alone.
  void visit_named(const audited_row& row) {
    auto key = row.parts();
    const auto tenant = key.text();
    const auto id = key.text();
    const auto place = book_.whole(row, decode_place(row.value));
    if (!place)
      return;
    if (!book_.has(owner::order, order_key(tenant, place->aggregate_id)))
      return book_.find(audit_rule::intake_atom, row,
                        "names order " + printable(place->aggregate_id)
                          + ", which does not exist");
    const auto of = book_.order(tenant, place->aggregate_id);
    if (!of)
      return; // its own row says so
    const auto step = std::ranges::find(of->steps, place->sequence,
                                        &domain::order_step::sequence);
    if (step == of->steps.end() || step->event_id != id)
      book_.find(audit_rule::intake_atom, row,
                 "names order " + of->order_id
                   + ", which has no event of that name");
  }

  void visit_outbox(const audited_row& row) {
    auto key = row.parts();
    key.byte();
    const auto position = key.number();
    check_no_hole(row, position);
    const auto stored = book_.whole(row, decode_outbox(row.value));
    if (!stored)
      return;
    const auto decoded = codec::decode_event(stored->bytes);
    auto name = name_of(row.of, row.key);
    name.tenant = printable(stored->tenant_id);
    if (!decoded)
      return book_.find(audit_rule::whole_rows, std::move(name),
                        "its event does not parse: " + decoded.why().detail);
    const auto& event = **decoded;
    const auto& about = event.envelope;
    if (event.digest != stored->digest)
      book_.find(audit_rule::accounting, name,
                 "its event does not match its digest any more");
    if (about.tenant_id != stored->tenant_id)
      return book_.find(audit_rule::tenancy, std::move(name),
                        "its event is of tenant " + printable(about.tenant_id));
    check_order_of(name, about, position);
    account_for(book_, event, position, name,
                codec::parse_utc(about.occurred_at).value_or(0));
    if (position > published_up_to_)
      book_.pend(audit_way::to_the_bus,
                 codec::parse_utc(about.occurred_at).value_or(0), name,
                 "is not published");
  }

private:
  void check_key_of(const audited_row& row, const order& of) {
    const auto key = book_.at().get(
      owner::order, idempotency_key(of.tenant_id, of.idempotency_key));
    if (!key)
      return book_.find(audit_rule::intake_atom, row,
                        "its idempotency key has no row");
    const auto names = decode_key(*key);
    if (names && names->order_id != of.order_id)
      book_.find(audit_rule::intake_atom, row,
                 "its idempotency key names " + printable(names->order_id));
  }

  void check_steps(const audited_row& row, const order& of) {
    const auto& steps = of.steps;
    const bool legal = steps.front().state == order_state::accepted
                       && (steps.size() == 1
                           || (steps.size() == 2
                               && steps.back().state != order_state::accepted));
    if (!legal)
      book_.find(audit_rule::intake_atom, row,
                 "its steps are no life of an order");
    std::uint64_t sequence = 0;
    for (const auto& step : steps) {
      if (step.sequence != ++sequence)
        return book_.find(audit_rule::intake_atom, row,
                          "its steps are not numbered from 1 on");
      if (!step.event_id.empty()
          && !book_.has(owner::order,
                        named_event_key(of.tenant_id, step.event_id)))
        book_.find(audit_rule::intake_atom, row,
                   "its event " + printable(step.event_id)
                     + " is not found by its name");
      check_event_of(of, step);
    }
  }

  /// The event of a step is there. Whether a row's event agrees with the order
  /// that it names is seen from the outbox; here it must name this one, and its
  /// own id does that.
  void check_event_of(const order& of, const domain::order_step& step) {
    const auto id = domain::event_id_of(of, step);
    const auto key = outbox_key(the_lane, step.outbox_position);
    const auto bytes = book_.at().get(owner::order, key);
    if (!bytes)
      return book_.find(audit_rule::intake_atom, owner::order, key,
                        of.tenant_id, "is missing; it was " + id);
    const auto stored = decode_outbox(*bytes);
    if (stored && stored->bytes.find('"' + id + '"') == std::string::npos)
      book_.find(audit_rule::intake_atom, owner::order, key, of.tenant_id,
                 "is not " + id + ", as that order says");
  }

  void check_no_hole(const audited_row& row, std::uint64_t position) {
    if (position != next_position_)
      book_.find(audit_rule::intake_atom, row,
                 "stands behind a hole: position "
                   + std::to_string(next_position_)
                   + " is missing in front of it");
    next_position_ = position + 1;
  }

  void check_order_of(const row_name& name, const domain::envelope& about,
                      std::uint64_t position) {
    const auto key = order_key(about.tenant_id, about.aggregate_id);
    if (!book_.has(owner::order, key))
      return book_.find(audit_rule::intake_atom, name,
                        "its order " + printable(about.aggregate_id)
                          + " does not exist");
    const auto of = book_.order(about.tenant_id, about.aggregate_id);
    if (!of)
      return;
    const auto step = std::ranges::find(of->steps, position,
                                        &domain::order_step::outbox_position);
    if (step == of->steps.end() || step->sequence != about.aggregate_sequence)
      return book_.find(audit_rule::intake_atom, name,
                        "order " + of->order_id + " has no such step");
    if (domain::event_type_of(step->state) != about.event_type)
      book_.find(audit_rule::intake_atom, name,
                 "its event is not what order " + of->order_id
                   + " says of that step");
  }

  // --- I13, from the order's side -------------------------------------------

  void check_reservation(const audited_row& row, const order& of) {
    const auto key = reservation_key(of.tenant_id, of.reservation_id);
    const auto bytes = book_.at().get(owner::inventory, key);
    if (!bytes)
      return book_.find(audit_rule::stock, row,
                        "its reservation " + printable(of.reservation_id)
                          + " does not exist");
    const auto held = domain::decode_reservation(*bytes);
    if (!held)
      return;
    const auto wrong = fault_of(of, *held);
    if (!wrong.empty())
      book_.find(audit_rule::stock, owner::inventory, key,
                 wrong + " (order " + of.order_id + ")");
  }

  [[nodiscard]] std::string fault_of(const order& of,
                                     const domain::reservation& held) const {
    if (held.idempotency_key != of.idempotency_key
        || held.fingerprint != of.fingerprint)
      return "was made for another request than the order that has it";
    if (!same_lines(of, held))
      return "holds other lines than its order has";
    const bool live = domain::is_live(held.state);
    const std::string is = "is " + std::string(to_string(held.state));
    if (of.state() == order_state::accepted && !live)
      return is + " though its order is open";
    // What the last event of the order did to it, if it came to inventory.
    const auto consumer = domain::inventory_consumer;
    const auto stream =
      book_.stream(owner::inventory, of.tenant_id, consumer, of.order_id);
    const auto sequence = of.steps.back().sequence;
    if (!stream || stream->position < sequence)
      return {};
    const auto last = book_.used(owner::inventory, of.tenant_id, consumer,
                                 of.order_id, *stream, sequence);
    if (!last || last->entry.mark != domain::inbox_mark::applied)
      return {};
    using domain::reservation_state;
    const auto due =
      of.state() == order_state::accepted    ? reservation_state::confirmed
      : of.state() == order_state::cancelled ? reservation_state::released
                                             : reservation_state::consumed;
    if (held.state != due)
      return is + " though its order is " + std::string(to_string(of.state()));
    return {};
  }

  static bool same_lines(const order& of, const domain::reservation& held) {
    std::map<std::string, std::int64_t> difference;
    for (const auto& line : of.lines)
      difference[line.sku] += line.quantity;
    for (const auto& line : held.lines)
      difference[line.sku] -= line.quantity;
    return std::ranges::all_of(difference,
                               [](const auto& one) { return one.second == 0; });
  }

  audit_book& book_;
  std::uint64_t published_up_to_;
  std::uint64_t next_position_ = 1;
};

} // namespace

void add_order_checks(audit_book& book, audit_passes& to) {
  const auto checks = std::make_shared<order_checks>(book);
  to.push_back({owner::order, kind::order,
                [checks](const auto& row) { checks->visit_order(row); }});
  to.push_back({owner::order, kind::idempotency_key,
                [checks](const auto& row) { checks->visit_key(row); }});
  to.push_back({owner::order, kind::named_event,
                [checks](const auto& row) { checks->visit_named(row); }});
  to.push_back({owner::order, kind::outbox,
                [checks](const auto& row) { checks->visit_outbox(row); }});
}

} // namespace parcelflow::storage
