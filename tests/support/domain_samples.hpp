// Small events and facts for the tests of the pure rules.
#pragma once

#include "domain/sequence_rule.hpp"

#include <map>
#include <string>

namespace parcelflow::test {

/// Stands for a digest: another id or sequence is another one.
inline domain::sha256_digest digest_of(const std::string& event_id,
                                       std::uint64_t sequence) {
  domain::sha256_digest digest{};
  digest[1] = static_cast<std::uint8_t>(sequence);
  for (std::size_t i = 0; i < event_id.size(); ++i)
    digest[2 + i % 30] ^= static_cast<std::uint8_t>(event_id[i]);
  return digest;
}

/// An OrderAccepted v1 of tn-a, aggregate o-1.
inline domain::event event_of(const std::string& event_id,
                              std::uint64_t sequence) {
  domain::event of;
  of.envelope.event_id = event_id;
  of.envelope.event_type = domain::order_accepted;
  of.envelope.event_version = 1;
  of.envelope.tenant_id = "tn-a";
  of.envelope.aggregate_id = "o-1";
  of.envelope.aggregate_sequence = sequence;
  of.digest = digest_of(event_id, sequence);
  return of;
}

inline domain::inbox_entry entry_of(const domain::event& of) {
  domain::inbox_entry entry;
  entry.sequence = of.envelope.aggregate_sequence;
  entry.event_id = of.envelope.event_id;
  entry.digest = of.digest;
  entry.note = "noted";
  entry.at = 1'800'000'000'000;
  return entry;
}

struct facts final : domain::stream_facts {
  std::map<std::uint64_t, domain::inbox_entry> entries;
  std::map<std::string, domain::event_place, std::less<>> places;
  std::map<std::uint64_t, domain::parked_identity> parked;

  template <class Map, class Key>
  static std::optional<typename Map::mapped_type> in(const Map& map,
                                                     const Key& key) {
    const auto at = map.find(key);
    if (at == map.end())
      return std::nullopt;
    return at->second;
  }
  std::optional<domain::inbox_entry> older_entry(std::uint64_t s) override {
    return in(entries, s);
  }
  std::optional<domain::event_place> place_of(std::string_view id) override {
    return in(places, id);
  }
  std::optional<domain::parked_identity> parked_at(std::uint64_t s) override {
    return in(parked, s);
  }
};

} // namespace parcelflow::test
