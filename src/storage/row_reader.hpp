// Typed reads of the owners' rows from one snapshot, for status_view alone. A
// row that does not parse is remembered as the first fault and reads as absent;
// the caller looks at `failed` once, before it answers.
// Thread rule: one thread, for one answer. Errors: storage_corrupt.
#pragma once

#include "domain/order_view.hpp"
#include "storage/consumer_store.hpp"
#include "storage/outbox.hpp"
#include "storage/store.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace parcelflow::storage {

class row_reader {
public:
  explicit row_reader(const store& rows) : at_(rows.read()) {}

  [[nodiscard]] bool failed() const noexcept { return why_.has_value(); }
  [[nodiscard]] const domain::fault& why() const { return *why_; }
  [[nodiscard]] const snapshot& rows() const noexcept { return at_; }

  /// The row, decoded; nothing if it is absent or does not parse.
  template <class Decode>
  auto get(owner of, const std::string& key, Decode decode) -> std::optional<
    std::decay_t<decltype(*decode(std::declval<std::string_view>()))>> {
    const auto bytes = at_.get(of, key);
    return bytes ? whole(decode(std::string_view(*bytes))) : std::nullopt;
  }
  template <class Row>
  std::optional<Row> whole(domain::outcome<Row> row) {
    if (row)
      return *std::move(row);
    note(row.why());
    return std::nullopt;
  }

  std::optional<domain::order> order(std::string_view tenant,
                                     std::string_view order_id);
  std::optional<held_stream> held(std::string_view tenant,
                                  std::string_view aggregate);
  std::uint64_t published_up_to();
  /// The receipt of a position's first publication.
  std::optional<domain::publication> receipt(std::uint64_t position);
  /// Further publications: of a held event, and resends.
  std::vector<domain::publication> single_receipts(std::uint64_t position);

  domain::stream_row stream(owner of, std::string_view tenant,
                            std::string_view consumer,
                            std::string_view aggregate);
  /// The lowest row of a stream in the waiting room.
  std::optional<std::pair<std::uint64_t, room_row>>
  first_in_room(owner of, std::string_view tenant, std::string_view consumer,
                std::string_view aggregate);
  /// Inbox entries that moved out of the stream row, ascending.
  std::vector<domain::inbox_entry> older_inbox(owner of,
                                               std::string_view tenant,
                                               std::string_view consumer,
                                               std::string_view aggregate);

private:
  void note(const domain::fault& why);

  snapshot at_;
  std::optional<domain::fault> why_;
};

} // namespace parcelflow::storage
