// What the sequence rule and an effect may look up while one event is judged:
// views on the consumer's own rows that live for that one judgement.
// Thread rule: the owner's thread.
#pragma once

#include "domain/consumer_spec.hpp"
#include "domain/sequence_rule.hpp"
#include "storage/consumer_store.hpp"

#include <map>
#include <optional>
#include <string>

namespace parcelflow::actors {

class delivery_facts final : public domain::stream_facts {
public:
  /// `from_outside`: the event came from the bus, so that a row in the waiting
  /// room is a rival; an event out of the room is not its own rival.
  delivery_facts(storage::consumer_store& store, const domain::event& of,
                 bool from_outside)
    : store_(store), of_(of), from_outside_(from_outside) {}

  std::optional<domain::inbox_entry>
  older_entry(std::uint64_t sequence) override {
    return store_.inbox_entry(of_.envelope.tenant_id, of_.envelope.aggregate_id,
                              sequence);
  }
  std::optional<domain::event_place>
  place_of(std::string_view event_id) override {
    return store_.place_of(of_.envelope.tenant_id, event_id);
  }
  std::optional<domain::parked_identity>
  parked_at(std::uint64_t sequence) override {
    if (!from_outside_)
      return std::nullopt;
    const auto room =
      store_.room(of_.envelope.tenant_id, of_.envelope.aggregate_id, sequence);
    if (!room)
      return std::nullopt;
    return domain::parked_identity{room->event_id, room->digest};
  }

private:
  storage::consumer_store& store_;
  const domain::event& of_;
  bool from_outside_;
};

/// Row changes of an effect: kept apart until it is known that it applies.
class effect_buffer final : public domain::effect_rows {
public:
  explicit effect_buffer(storage::family& rows) : rows_(rows) {}

  std::optional<std::string> get(std::string_view key) override {
    const auto at = changes_.find(key);
    return at == changes_.end() ? rows_.get(key) : at->second;
  }
  void put(std::string key, std::string value) override {
    changes_[std::move(key)] = std::move(value);
  }
  void erase(std::string key) override {
    changes_[std::move(key)] = std::nullopt;
  }
  /// Stages every change in the owner's open batch.
  void stage() {
    for (auto& [key, value] : changes_)
      if (value)
        rows_.put(key, std::move(*value));
      else
        rows_.erase(key);
    changes_.clear();
  }

private:
  storage::family& rows_;
  std::map<std::string, std::optional<std::string>, std::less<>> changes_;
};

} // namespace parcelflow::actors
