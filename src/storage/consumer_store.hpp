// The rows of one consumer inside its owner's family: stream rows, older inbox
// entries, the index of foreign event ids, the waiting room and its index,
// what was set aside, and what the dead-letter owner still has to be told.
// Reads see what the owner staged. A row that does not parse is damage and
// fail-stop, like a failed read.
// Thread rule: the owner's thread; the family must outlive the view.
#pragma once

#include "domain/dead_letter.hpp"
#include "domain/sequence_rule.hpp"
#include "storage/family.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace parcelflow::storage {

enum class room_mode : std::uint8_t { retry = 1, behind, quarantined };

/// Where a foreign event id was used, as the index of foreign ids keeps it.
[[nodiscard]] std::string encode(const domain::event_place& place);
[[nodiscard]] domain::outcome<domain::event_place>
decode_place(std::string_view bytes);

/// An event that was acknowledged, or is about to be, and is not applied:
/// its bytes as received and why it waits.
struct room_row {
  room_mode mode = room_mode::behind;
  std::string topic;
  std::string event_id;
  domain::sha256_digest digest{};
  std::string bytes;
  std::vector<domain::attempt> attempts;
  support::unix_ms next_at = 0; ///< retry
  support::unix_ms received_at = 0;
  std::string dead_letter_id; ///< quarantined

  friend bool operator==(const room_row&, const room_row&) = default;
};
[[nodiscard]] std::string encode(const room_row& row);
[[nodiscard]] domain::outcome<room_row> decode_room(std::string_view bytes);

/// What became of a record, told to the dead-letter owner until acknowledged.
struct tell_row {
  std::optional<domain::dead_letter> opened; ///< with its payload
  std::optional<domain::dead_letter_step> closed;

  friend bool operator==(const tell_row&, const tell_row&) = default;
};
[[nodiscard]] std::string encode(const tell_row& row);
[[nodiscard]] domain::outcome<tell_row> decode_tell(std::string_view tenant,
                                                    std::string_view id,
                                                    std::string_view bytes);

/// Who skipped a sequence, for which dead letter ("hole" if the sequence was
/// never seen and nothing that waits for it has a record), and why.
struct skip_row {
  std::string dead_letter_id;
  std::string actor;
  std::string reason;
  support::unix_ms at = 0;

  friend bool operator==(const skip_row&, const skip_row&) = default;
};
[[nodiscard]] std::string encode(const skip_row& row);
[[nodiscard]] domain::outcome<skip_row> decode_skip(std::string_view bytes);

class consumer_store {
public:
  consumer_store(family& rows, std::string consumer)
    : rows_(rows), consumer_(std::move(consumer)) {}

  [[nodiscard]] const std::string& consumer() const noexcept {
    return consumer_;
  }
  [[nodiscard]] family& rows() noexcept { return rows_; }

  domain::stream_row stream(std::string_view tenant,
                            std::string_view aggregate);
  /// Writes the row; inbox entries beyond `inline_max` move to rows of their
  /// own, and the index of waiting streams follows the mark.
  void put_stream(std::string_view tenant, std::string_view aggregate,
                  domain::stream_row row, bool was_waiting,
                  std::size_t inline_max);

  /// An entry that moved out of the stream row; of a stream that was handed
  /// over, also one from before.
  std::optional<domain::inbox_entry> inbox_entry(std::string_view tenant,
                                                 std::string_view aggregate,
                                                 std::uint64_t sequence);

  std::optional<domain::event_place> place_of(std::string_view tenant,
                                              std::string_view event_id);
  void put_place(std::string_view tenant, std::string_view event_id,
                 const domain::event_place& place);

  std::optional<room_row> room(std::string_view tenant,
                               std::string_view aggregate,
                               std::uint64_t sequence);
  void put_room(std::string_view tenant, std::string_view aggregate,
                std::uint64_t sequence, const room_row& row);
  void erase_room(std::string_view tenant, std::string_view aggregate,
                  std::uint64_t sequence);
  /// Lowest durable sequence in the room of a stream.
  std::optional<std::uint64_t> first_in_room(std::string_view tenant,
                                             std::string_view aggregate);
  using room_visitor =
    std::function<void(std::uint64_t sequence, room_row row)>;
  /// Durable rows of one stream, ascending; staged ones are not seen.
  void each_in_room(std::string_view tenant, std::string_view aggregate,
                    const room_visitor& visit);
  /// The first dead letter in the room of a stream: of a gap, whose hole has
  /// none of its own. Empty if there is none.
  std::string first_letter(std::string_view tenant, std::string_view aggregate);
  void put_skip(std::string_view tenant, std::string_view aggregate,
                std::uint64_t sequence, const skip_row& row);

  /// Set aside for good unless replayed: fork, stale, invalid.
  [[nodiscard]] bool has_aside(std::string_view tenant, std::string_view id);
  std::optional<room_row> aside(std::string_view tenant, std::string_view id);
  void erase_aside(std::string_view tenant, std::string_view id);
  void put_aside(std::string_view tenant, std::string_view id,
                 const room_row& row);

  std::optional<tell_row> to_tell(std::string_view tenant, std::string_view id);
  void put_to_tell(std::string_view tenant, std::string_view id,
                   const tell_row& row);
  void erase_to_tell(std::string_view tenant, std::string_view id);

  using stream_visitor =
    std::function<void(std::string tenant, std::string aggregate)>;
  void each_waiting_stream(const stream_visitor& visit);
  using tell_visitor =
    std::function<void(std::string tenant, std::string id, tell_row row)>;
  void each_untold(const tell_visitor& visit);

  /// True if the last stop was clean or there was no start before; leaves a
  /// mark, so that a kill shows, be it at the very first event.
  bool take_clean_stop();
  void mark_clean_stop();

private:
  family& rows_;
  std::string consumer_;
};

/// Ends the process: a durable row that does not parse (fail-stop, I11).
[[noreturn]] void corrupt_row(std::string_view what, const domain::fault& why);

} // namespace parcelflow::storage
