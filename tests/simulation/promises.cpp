#include "tests/simulation/promises.hpp"

#include "codec/event_json.hpp"
#include "codec/identity.hpp"
#include "domain/dead_letter.hpp"
#include "domain/fulfillment.hpp"
#include "domain/inventory.hpp"
#include "domain/notification.hpp"
#include "storage/consumer_store.hpp"
#include "storage/keys.hpp"
#include "storage/outbox.hpp"
#include "tests/simulation/promises_parts.hpp"

#include <algorithm>
#include <optional>
#include <set>

namespace parcelflow::simulation {
namespace {

using storage::kind;
using storage::owner;

/// Which family a consumer's rows are in.
owner home_of(std::string_view consumer) {
  if (consumer == domain::inventory_consumer)
    return owner::inventory;
  return consumer == domain::notification_consumer ? owner::notification
                                                   : owner::fulfillment;
}

class judge {
public:
  judge(const test::rows& at, const outside_world& of) : at_(at), of_(of) {}

  void what_clients_heard() {
    found_ = of_.clients->lies();
    for (const auto& [name, intent] : of_.clients->orders())
      confirmed_order(name, intent);
    for (const auto& [name, commands] : of_.clients->commands())
      for (const auto& [what, asked] : commands)
        confirmed_command(name, what, asked);
  }
  void what_responders_heard() {
    for (const auto& [tenant, id] : of_.clients->waived_letters()) {
      const auto row =
        at_.get(owner::dead_letter, storage::dead_letter_key(tenant, id));
      const auto letter =
        row ? domain::decode_dead_letter(tenant, id, *row) : domain::fault{};
      expect(letter && letter->state() == domain::dead_letter_state::waived,
             "I2: the waived record " + id + " is not waived");
    }
    for (const auto& [tenant, id] : of_.clients->replays())
      expect(has(owner::dead_letter, storage::replay_key(tenant, id)),
             "I2: replay " + id + " was confirmed and is not there");
  }
  void what_nobody_asked() {
    const auto from = storage::key_writer(kind::order).take();
    at_.scan(owner::order, from, storage::prefix_end(from),
             [&](auto key, auto value) {
               storage::key_reader in(key);
               const auto tenant = in.text();
               const auto id = in.text();
               if (const auto order = domain::decode_order(tenant, id, value))
                 asked_for(*order);
               return true;
             });
  }
  void what_the_broker_heard() {
    for (const auto& [consumer, books] : of_.wire->consumers())
      for (const auto entry : books.acked)
        settled(consumer, *of_.wire->entries().at(entry));
    receipts();
  }
  void what_became_of_orders() {
    for (const auto& [tenant, id] : of_.clients->confirmed_orders())
      finished(tenant, id);
  }
  std::vector<std::string> take() { return std::move(found_); }

private:
  void expect(bool holds, const std::string& what) {
    if (!holds)
      found_.push_back(what);
  }
  bool has(owner of, const std::string& key) const {
    return at_.get(of, key).has_value();
  }
  static order_body body_of(const domain::order& of) {
    return {of.lines.front().sku, of.lines.front().quantity};
  }
  std::optional<domain::order> order(const std::string& tenant,
                                     const std::string& id) const {
    const auto row = at_.get(owner::order, storage::order_key(tenant, id));
    if (!row)
      return std::nullopt;
    auto read = domain::decode_order(tenant, id, *row);
    return read ? std::optional(*std::move(read)) : std::nullopt;
  }
  domain::stream_row stream(owner of, std::string_view consumer,
                            std::string_view tenant,
                            std::string_view aggregate) const {
    const auto row =
      at_.get(of, storage::stream_key(tenant, consumer, aggregate));
    if (!row)
      return {};
    auto read = domain::decode_stream(*row);
    expect_readable(read.ok());
    return read ? *std::move(read) : domain::stream_row{};
  }
  void expect_readable(bool ok) const {
    if (!ok)
      found_.emplace_back("I11: a stream row does not parse");
  }

  void confirmed_order(const client_name& name, const order_intent& intent) {
    if (!intent.confirmed())
      return;
    const auto& [tenant, key] = name;
    const std::string what = "I2: confirmed order " + intent.order_id;
    const auto row = order(tenant, intent.order_id);
    expect(row.has_value(), what + " is not there");
    if (!row)
      return;
    expect(row->idempotency_key == key, what + " has another key");
    const auto kept =
      at_.get(owner::order, storage::idempotency_key(tenant, key));
    const auto read = kept ? storage::decode_key(*kept) : domain::fault{};
    expect(read && read->order_id == intent.order_id,
           what + " is not what its key names");
    expect(has(owner::order,
               storage::outbox_key(storage::the_lane,
                                   row->steps.front().outbox_position)),
           what + " has no event");
    expect(body_of(*row) == intent.confirmed_as, what + " holds other lines");
  }

  void confirmed_command(const client_name& name, domain::order_command what,
                         const command_intent& asked) {
    if (!asked.confirmed)
      return;
    const auto row = order(name.first, name.second);
    expect(row && row->state() == domain::target_of(what),
           "I2: a confirmed command of " + name.second + " did not stay");
  }

  void asked_for(const domain::order& of) {
    const client_name name(of.tenant_id, of.idempotency_key);
    const auto at = of_.clients->orders().find(name);
    bool possible = false;
    if (at != of_.clients->orders().end()) {
      const auto body = at->second.bodies.find(body_of(of));
      possible = body != at->second.bodies.end() && body->second.possible();
    }
    expect(possible,
           "I1: nobody asked for " + of.order_id + ", or it was refused");
    expect((of.authorization.voided_at != 0)
             == (of.state() == domain::order_state::cancelled),
           "R6: the authorization of " + of.order_id + " is not as its order");
    if (of.state() == domain::order_state::accepted)
      return;
    const auto commands =
      of_.clients->commands().find({of.tenant_id, of.order_id});
    const bool asked =
      commands != of_.clients->commands().end()
      && std::any_of(commands->second.begin(), commands->second.end(),
                     [&](const auto& one) {
                       return domain::target_of(one.first) == of.state()
                              && one.second.asked > 0;
                     });
    expect(asked, "I1: nobody asked " + of.order_id + " to be "
                    + std::string(to_string(of.state())));
  }

  /// Settled for good: applied, kept waiting, or on record.
  void settled(const std::string& consumer, const domain::event& event) {
    const auto& about = event.envelope;
    const auto of = home_of(consumer);
    const auto row = stream(of, consumer, about.tenant_id, about.aggregate_id);
    const auto sequence = about.aggregate_sequence;
    bool kept = false;
    if (sequence <= row.position) {
      const auto entry = entry_of(of, consumer, about, row);
      kept = entry
             && (entry->mark == domain::inbox_mark::skipped
                 || (entry->event_id == about.event_id
                     && entry->digest == event.digest));
    }
    if (const auto room =
          at_.get(of, storage::waiting_room_key(about.tenant_id, consumer,
                                                about.aggregate_id, sequence));
        room && !kept)
      if (const auto read = storage::decode_room(*room))
        kept = read->event_id == about.event_id && read->digest == event.digest;
    const auto id = codec::dead_letter_id(consumer, about.tenant_id,
                                          about.event_id, event.digest);
    kept =
      kept
      || has(owner::dead_letter, storage::dead_letter_key(about.tenant_id, id))
      || has(of, storage::aside_key(about.tenant_id, id))
      || has(of, storage::to_tell_key(about.tenant_id, id));
    expect(kept, "I7: " + about.event_id + " was settled by " + consumer
                   + " and is nowhere");
  }

  std::optional<domain::inbox_entry>
  entry_of(owner of, const std::string& consumer, const domain::envelope& about,
           const domain::stream_row& row) const {
    for (const auto& one : row.recent)
      if (one.sequence == about.aggregate_sequence)
        return one;
    const auto older =
      at_.get(of, storage::inbox_entry_key(about.tenant_id, consumer,
                                           about.aggregate_id,
                                           about.aggregate_sequence));
    if (!older)
      return std::nullopt;
    auto read = domain::decode_inbox_entry(*older);
    return read ? std::optional(*std::move(read)) : std::nullopt;
  }

  /// The relay's prefix never passes what the broker accepted.
  void receipts() {
    const auto cursor =
      at_.get(owner::relay, storage::relay_cursor_key(storage::the_lane));
    if (!cursor)
      return;
    // Two bytes of record head, then the key of the last published row.
    storage::key_reader in(std::string_view(*cursor).substr(2));
    in.byte();
    const auto up_to = in.number();
    std::uint64_t position = 0;
    const auto from = storage::outbox_key(storage::the_lane, 1);
    at_.scan(owner::order, from,
             storage::outbox_key(storage::the_lane, up_to + 1),
             [&](auto, auto value) {
               ++position;
               published(position, value);
               return true;
             });
    expect(position == up_to, "I3: the relay's cursor passes the outbox");
  }

  void published(std::uint64_t position, std::string_view value) {
    const auto row = storage::decode_outbox(value);
    if (!row)
      return;
    const auto event = codec::decode_event(row->bytes);
    if (!event)
      return;
    const auto& about = (*event)->envelope;
    expect(of_.wire->accepted(about.event_id)
             || has(owner::relay, storage::held_stream_key(about.tenant_id,
                                                           about.aggregate_id))
             || published_aside(about),
           "F9: position " + std::to_string(position)
             + " counts as published and was never accepted");
  }

  /// Skipped or waived by a responder after it was refused for good.
  [[nodiscard]] bool published_aside(const domain::envelope& about) const {
    const auto from =
      storage::key_writer(kind::dead_letter).text(about.tenant_id).take();
    bool found = false;
    at_.scan(owner::dead_letter, from, storage::prefix_end(from),
             [&](auto key, auto value) {
               storage::key_reader in(key);
               const auto tenant = in.text();
               const auto id = in.text();
               const auto letter =
                 domain::decode_dead_letter(tenant, id, value);
               found = letter && letter->consumer == domain::publish_consumer
                       && letter->aggregate_id == about.aggregate_id;
               return !found;
             });
    return found;
  }

  void finished(const std::string& tenant, const std::string& id) {
    const auto row = order(tenant, id);
    if (!row)
      return; // said already
    const auto jobs =
      stream(owner::fulfillment, domain::fulfillment_consumer, tenant, id);
    const auto sends =
      stream(owner::notification, domain::notification_consumer, tenant, id);
    if (skips(owner::fulfillment, domain::fulfillment_consumer, tenant, id)
        || skips(owner::notification, domain::notification_consumer, tenant,
                 id))
      return; // a responder gave up what is missing
    const auto job = domain::decode_job(jobs.effect);
    expect(job && job->has_value(), "I4: order " + id + " has no job");
    const auto sent = domain::decode_sends(sends.effect);
    const auto count = [&](std::string_view name) {
      return sent ? std::count_if(
               sent->begin(), sent->end(),
               [&](const auto& one) { return one.template_name == name; })
                  : 0;
    };
    expect(count(domain::confirmation_template) == 1,
           "I4: order " + id + " has no confirmation");
    expect(count(domain::cancellation_template)
             == (row->state() == domain::order_state::cancelled ? 1 : 0),
           "I4: order " + id + " has a wrong cancellation");
  }

  [[nodiscard]] bool skips(owner of, std::string_view consumer,
                           std::string_view tenant,
                           std::string_view aggregate) const {
    const auto from = storage::key_writer(kind::skip)
                        .text(tenant)
                        .text(consumer)
                        .text(aggregate)
                        .take();
    bool any = false;
    at_.scan(of, from, storage::prefix_end(from), [&](auto, auto) {
      any = true;
      return false;
    });
    return any;
  }

  const test::rows& at_;
  const outside_world& of_;
  mutable std::vector<std::string> found_;
};

} // namespace

std::vector<std::string>
broken_promises(const test::rows& at, const outside_world& of, bool finished) {
  judge by(at, of);
  by.what_clients_heard();
  by.what_responders_heard();
  by.what_nobody_asked();
  if (of.wire != nullptr)
    by.what_the_broker_heard();
  if (finished)
    by.what_became_of_orders();
  auto found = by.take();
  if (of.wire != nullptr)
    wire_promises(at, *of.wire, found);
  desk_promises(at, of.attempts_max, found);
  shelf_promises(at, found);
  return found;
}

} // namespace parcelflow::simulation
