// What the classifier would say of quarantined events if they were replayed
// now: the same rule as for a delivery, over a snapshot, walking each stream
// in sequence with the position that it would have. Writes nothing.
// Owner: whoever plans; the snapshot must outlive it. Thread rule: one thread.
// Errors: storage_corrupt for a row that does not parse.
#pragma once

#include "domain/replay.hpp"
#include "storage/store.hpp"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace parcelflow::storage {

/// Where a consumer's rows are, and what it takes now.
struct consumer_facts {
  owner of{};
  std::vector<domain::event_kind> supported;
};

class forecast {
public:
  /// Nothing for a consumer that this process does not have.
  using places =
    std::function<std::optional<consumer_facts>(std::string_view consumer)>;

  forecast(const snapshot& at, places of) : at_(at), places_(std::move(of)) {}

  /// Fills in `predicted` and `prediction` of items of one tenant, consumer
  /// and aggregate, ascending.
  domain::status predict(std::string_view tenant,
                         std::span<domain::replay_item> items);

private:
  const snapshot& at_;
  places places_;
};

} // namespace parcelflow::storage
