#include "tests/support/invariants.hpp"

#include "codec/event_json.hpp"
#include "domain/fulfillment.hpp"
#include "domain/inventory.hpp"
#include "domain/notification.hpp"
#include "storage/consumer_store.hpp"
#include "storage/keys.hpp"
#include "storage/outbox.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace parcelflow::test {
namespace {

using storage::kind;
using storage::owner;
using name = std::pair<std::string, std::string>; // tenant, and what in it

struct consumer_name {
  owner of;
  std::string_view name;
};
const std::vector<consumer_name>& consumers() {
  static const std::vector<consumer_name> all = {
    {owner::inventory, domain::inventory_consumer},
    {owner::fulfillment, domain::fulfillment_consumer},
    {owner::notification, domain::notification_consumer}};
  return all;
}

class checker {
public:
  checker(const rows& at, const at_rest& when) : at_(at), when_(when) {}

  std::vector<std::string> run() {
    read_orders();
    read_outbox();
    intake_atom();
    for (const auto& one : consumers()) {
      read_streams(one);
      accounting(one);
      consumer_atom(one);
      quarantine_atom(one);
    }
    one_effect();
    stock();
    return std::move(found_);
  }

private:
  void fail(std::string what) { found_.push_back(std::move(what)); }
  void expect(bool holds, const std::string& what) {
    if (!holds)
      fail(what);
  }
  /// Unwraps a record, or says that it does not parse.
  template <class T>
  std::optional<T> whole(domain::outcome<T> row, const std::string& what) {
    if (row)
      return *std::move(row);
    fail(what + " does not parse");
    return std::nullopt;
  }
  void each(owner of, kind what, const storage::family::visitor& visit) const {
    const auto from = storage::key_writer(what).take();
    at_.scan(of, from, storage::prefix_end(from), visit);
  }
  bool has(owner of, const std::string& key) const {
    return at_.get(of, key).has_value();
  }

  void read_orders() {
    each(owner::order, kind::order, [&](auto key, auto value) {
      storage::key_reader in(key);
      const auto tenant = in.text();
      const auto id = in.text();
      if (auto row = whole(domain::decode_order(tenant, id, value), "order"))
        orders_.emplace(name(tenant, id), *std::move(row));
      return true;
    });
    each(owner::order, kind::idempotency_key, [&](auto key, auto value) {
      storage::key_reader in(key);
      const auto tenant = in.text();
      const auto text = in.text();
      if (auto row = whole(storage::decode_key(value), "key"))
        keys_.emplace(name(tenant, text), *std::move(row));
      return true;
    });
  }

  void read_outbox() {
    std::uint64_t next = 1;
    each(owner::order, kind::outbox, [&](auto key, auto value) {
      storage::key_reader in(key);
      in.byte();
      const auto position = in.number();
      expect(position == next,
             "I1: the outbox has a hole at " + std::to_string(next));
      next = position + 1;
      const auto row = whole(storage::decode_outbox(value), "outbox row");
      if (!row)
        return true;
      const auto event = whole(codec::decode_event(row->bytes), "event");
      if (!event)
        return true;
      expect((*event)->digest == row->digest
               && (*event)->envelope.tenant_id == row->tenant_id,
             "I4: outbox row " + std::to_string(position) + " changed");
      outbox_.emplace(position, *event);
      return true;
    });
  }

  void intake_atom() {
    std::size_t steps = 0;
    for (const auto& [of, order] : orders_) {
      const auto key = keys_.find({of.first, order.idempotency_key});
      expect(key != keys_.end() && key->second.order_id == of.second
               && key->second.fingerprint == order.fingerprint,
             "I1: " + of.second + " is not what its key names");
      std::uint64_t sequence = 0;
      for (const auto& step : order.steps) {
        ++steps;
        const auto row = outbox_.find(step.outbox_position);
        expect(step.sequence == ++sequence && row != outbox_.end()
                 && row->second->envelope.aggregate_id == of.second
                 && row->second->envelope.tenant_id == of.first
                 && row->second->envelope.aggregate_sequence == sequence
                 && row->second->envelope.event_id
                      == domain::event_id_of(order, step)
                 && row->second->envelope.event_type
                      == domain::event_type_of(step.state),
               "I1: a step of " + of.second + " has no event");
      }
    }
    expect(keys_.size() == orders_.size(), "I1: a key without an order");
    expect(steps == outbox_.size(), "I1: an event without its order");
  }

  struct one_stream {
    domain::stream_row row;
    std::map<std::uint64_t, domain::inbox_entry> inbox;
    std::map<std::uint64_t, storage::room_row> room;
  };
  using streams = std::map<name, one_stream>;
  /// A responder gave an event up, and with it what it would have done.
  static bool skips(const one_stream& of) {
    return std::any_of(of.inbox.begin(), of.inbox.end(), [](const auto& one) {
      return one.second.mark == domain::inbox_mark::skipped;
    });
  }

  void read_streams(const consumer_name& of) {
    auto& all = streams_[of.name];
    const auto visit = [&](kind what, auto&& take) {
      each(of.of, what, [&](auto key, auto value) {
        storage::key_reader in(key);
        auto tenant = in.text();
        const auto consumer = in.text();
        auto aggregate = in.text();
        if (consumer == of.name)
          take(all[{tenant, aggregate}], in, value);
        return true;
      });
    };
    visit(kind::stream, [&](auto& one, auto&, auto value) {
      if (auto row = whole(domain::decode_stream(value), "stream"))
        one.row = *std::move(row);
      for (const auto& entry : one.row.recent)
        expect(one.inbox.emplace(entry.sequence, entry).second,
               "I6: a sequence twice in the inbox");
    });
    visit(kind::inbox_entry, [&](auto& one, auto& in, auto value) {
      const auto sequence = in.number();
      if (auto row = whole(domain::decode_inbox_entry(value), "inbox"))
        expect(row->sequence == sequence
                 && one.inbox.emplace(sequence, *row).second,
               "I6: a sequence twice in the inbox");
    });
    visit(kind::waiting_room, [&](auto& one, auto& in, auto value) {
      const auto sequence = in.number();
      if (auto row = whole(storage::decode_room(value), "room"))
        one.room.emplace(sequence, *std::move(row));
    });
  }

  void accounting(const consumer_name& of) {
    const auto& all = streams_[of.name];
    for (const auto& [position, event] : outbox_) {
      const auto& about = event->envelope;
      const name stream(about.tenant_id, about.aggregate_id);
      const auto at = all.find(stream);
      const std::string what =
        "I4: " + about.event_id + " at " + std::string(of.name) + ": ";
      const auto sequence = about.aggregate_sequence;
      if (at != all.end() && sequence <= at->second.row.position) {
        const auto entry = at->second.inbox.find(sequence);
        expect(entry != at->second.inbox.end()
                 && (entry->second.mark == domain::inbox_mark::skipped
                     || (entry->second.event_id == about.event_id
                         && entry->second.digest == event->digest)),
               what + "another one was applied");
        continue;
      }
      if (at != all.end() && at->second.room.contains(sequence)) {
        const auto& kept = at->second.room.at(sequence);
        expect(kept.digest == event->digest && kept.bytes == event->bytes,
               what + "changed in the waiting room");
        continue;
      }
      const bool held = has(
        owner::relay, storage::held_stream_key(stream.first, stream.second));
      const bool hole = when_.holes_allowed && at != all.end()
                        && at->second.row.waiting.has_value();
      expect(held || hole, what + "lost");
    }
  }

  void consumer_atom(const consumer_name& of) {
    for (const auto& [stream, one] : streams_[of.name]) {
      const std::string what =
        "I6: " + stream.second + " at " + std::string(of.name) + ": ";
      expect(one.inbox.size() == one.row.position
               && (one.inbox.empty()
                   || (one.inbox.begin()->first == 1
                       && one.inbox.rbegin()->first == one.row.position)),
             what + "inbox and position differ");
      expect(one.room.empty() || one.room.begin()->first > one.row.position,
             what + "an applied event still waits");
      expect(one.room.size() == (one.row.waiting ? one.row.waiting->rows : 0),
             what + "its mark counts other rows than there are");
      expect(!one.row.waiting || one.row.waiting->rows > 0,
             what + "waits for nothing");
      expect(one.row.waiting.has_value()
               == has(of.of, storage::waiting_stream_key(stream.first, of.name,
                                                         stream.second)),
             what + "the index of waiting streams differs");
      for (const auto& [sequence, entry] : one.inbox)
        expect(entry.mark != domain::inbox_mark::skipped || !entry.note.empty(),
               what + "a skip without its reason");
    }
  }

  void quarantine_atom(const consumer_name& of) {
    std::set<name> kept;
    const auto has_letter = [&](const std::string& tenant,
                                const storage::room_row& row) {
      kept.emplace(tenant, row.dead_letter_id);
      const auto payload = at_.get(
        owner::dead_letter, storage::payload_key(tenant, row.dead_letter_id));
      expect(has(owner::dead_letter,
                 storage::dead_letter_key(tenant, row.dead_letter_id)),
             "I7: no record of " + row.event_id);
      expect(payload && payload->substr(2) == row.bytes,
             "I7: no evidence of " + row.event_id);
    };
    for (const auto& [stream, one] : streams_[of.name])
      for (const auto& [sequence, row] : one.room)
        if (row.mode == storage::room_mode::quarantined)
          has_letter(stream.first, row);
    each(of.of, kind::aside, [&](auto key, auto value) {
      if (auto row = whole(storage::decode_room(value), "aside row"))
        has_letter(storage::key_reader(key).text(), *row);
      return true;
    });
    each(of.of, kind::to_tell, [&](auto key, auto) {
      storage::key_reader in(key);
      in.text();
      fail("I7: untold at rest: " + in.text());
      return true;
    });
    each(owner::dead_letter, kind::dead_letter, [&](auto key, auto value) {
      storage::key_reader in(key);
      const auto tenant = in.text();
      const auto id = in.text();
      const auto letter =
        whole(domain::decode_dead_letter(tenant, id, value), "dead letter");
      if (letter && letter->consumer == of.name)
        expect((letter->state() == domain::dead_letter_state::open)
                 == kept.contains({tenant, id}),
               "I7: the record of " + letter->event_id
                 + " does not say what became of it");
      return true;
    });
  }

  void one_effect() {
    std::set<std::string> ids;
    for (const auto& [stream, one] : streams_[domain::fulfillment_consumer]) {
      const auto job = whole(domain::decode_job(one.row.effect), "job");
      if (!job || !*job)
        continue;
      expect(ids.insert(stream.first + '/' + (*job)->fulfillment_id).second,
             "I5: one job id twice");
      const auto order = orders_.find(stream);
      if (order != orders_.end() && !skips(one)
          && order->second.steps.size() == one.row.position)
        expect(static_cast<int>((*job)->state)
                 == static_cast<int>(order->second.state()),
               "I5: the job of " + stream.second + " is not as its order");
    }
    for (const auto& [stream, one] : streams_[domain::notification_consumer]) {
      const auto sends = whole(domain::decode_sends(one.row.effect), "sends");
      std::set<std::string> templates;
      for (const auto& send :
           sends.value_or(std::vector<domain::notification_send>{}))
        expect(
          templates.insert(send.template_name).second
            && ids.insert(stream.first + '/' + send.notification_id).second,
          "I5: one send twice for " + stream.second);
    }
  }

  void stock() {
    std::map<name, std::int64_t> live;
    std::map<name, domain::reservation> reservations;
    each(owner::inventory, kind::reservation, [&](auto key, auto value) {
      storage::key_reader in(key);
      const auto tenant = in.text();
      const auto id = in.text();
      const auto row = whole(domain::decode_reservation(value), "reservation");
      if (!row)
        return true;
      reservations.emplace(name(tenant, id), *row);
      if (domain::is_live(row->state))
        for (const auto& line : row->lines)
          live[{tenant, line.sku}] += line.quantity;
      return true;
    });
    each(owner::inventory, kind::stock, [&](auto key, auto value) {
      storage::key_reader in(key);
      const auto tenant = in.text();
      const auto sku = in.text();
      if (const auto row = whole(domain::decode_stock(value), "stock"))
        expect(row->reserved == live[{tenant, sku}] && row->reserved >= 0
                 && row->on_hand >= row->reserved,
               "I13: stock of " + tenant + " " + sku + ": reserved "
                 + std::to_string(row->reserved) + ", live "
                 + std::to_string(live[{tenant, sku}]));
      return true;
    });
    std::set<name> ordered;
    for (const auto& [of, order] : orders_) {
      const name reservation(of.first, order.reservation_id);
      expect(ordered.insert(reservation).second,
             "I13: two orders share " + order.reservation_id);
      const auto at = reservations.find(reservation);
      const bool alive =
        at != reservations.end() && domain::is_live(at->second.state);
      const auto stream = streams_[domain::inventory_consumer].find(of);
      const bool told = stream != streams_[domain::inventory_consumer].end()
                        && stream->second.row.position == order.steps.size();
      if (order.state() == domain::order_state::accepted)
        expect(alive, "I13: " + of.second + " is open and has no stock");
      else if (told)
        expect(!alive, "I13: " + of.second + " is closed and keeps stock");
    }
    for (const auto& [of, row] : reservations)
      expect(!domain::is_live(row.state) || ordered.contains(of)
               || row.deadline + when_.grace_ms > when_.now,
             "I13: " + of.second + " outlives its deadline without an order");
  }

  const rows& at_;
  const at_rest& when_;
  std::vector<std::string> found_;
  std::map<name, domain::order> orders_;
  std::map<name, storage::key_row> keys_;
  std::map<std::uint64_t, domain::event_ptr> outbox_;
  std::map<std::string_view, streams> streams_;
};

} // namespace

std::vector<std::string> violations(const rows& at, const at_rest& when) {
  return checker(at, when).run();
}

} // namespace parcelflow::test
