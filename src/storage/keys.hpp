// Every key of the store, spelled in one place. A key is one kind byte (never
// reused), then the tenant, then the rest; only the append-only logs begin
// with a lane or a topic instead, and carry their tenant inside (R28).
//
// Encoding: text keeps its order and ends in 00 01, a NUL inside becomes
// 00 FF, so that keys are prefix-free and every byte string is a legal
// component; numbers are 8 bytes, big-endian. `key_reader` takes a key apart
// again; encoding and decoding are exact inverses.
// Thread rule: plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace parcelflow::storage {

/// Kinds of rows. docs/STORAGE_FORMAT.md tells what each holds. A number that
/// was ever used is never given to another kind.
enum class kind : std::uint8_t {
  format = 0x01,
  // order
  order = 0x10,
  idempotency_key = 0x11,
  outbox = 0x12,
  named_event = 0x13,
  // inventory
  stock = 0x20,
  reservation = 0x21,
  held_chunk = 0x22,
  // relay
  relay_cursor = 0x30,
  receipt_run = 0x31,
  receipt_single = 0x32,
  held_stream = 0x33,
  publish_to_tell = 0x34,
  // every consumer, in its owner's family
  stream = 0x40,
  inbox_entry = 0x41,
  foreign_event = 0x42,
  waiting_room = 0x43,
  waiting_stream = 0x44,
  aside = 0x45,
  to_tell = 0x46,
  clean_stop = 0x47,
  skip = 0x48,
  history = 0x49,
  // dead letters
  dead_letter = 0x50,
  payload = 0x51,
  dead_letter_order = 0x52,
  operator_log = 0x53,
  replay = 0x54,
  replay_item = 0x55,
  open_replay = 0x56,
  pause = 0x57,
  letter_counts = 0x58,
  letter_time = 0x59,
  // bus
  topic_log = 0x60,
  topic_cursor = 0x61,
};

class key_writer {
public:
  explicit key_writer(kind of) { bytes_.push_back(static_cast<char>(of)); }
  key_writer& text(std::string_view value);
  key_writer& number(std::uint64_t value);
  /// A single byte, for lanes.
  key_writer& byte(std::uint8_t value) {
    bytes_.push_back(static_cast<char>(value));
    return *this;
  }
  [[nodiscard]] std::string take() { return std::move(bytes_); }

private:
  std::string bytes_;
};

/// Reads components back in the order in which they were written. A key that
/// does not parse turns `ok` false and yields empty values.
class key_reader {
public:
  explicit key_reader(std::string_view bytes);
  [[nodiscard]] std::uint8_t kind_byte() const noexcept { return kind_; }
  std::string text();
  std::uint64_t number();
  std::uint8_t byte();
  [[nodiscard]] bool complete() const noexcept { return ok_ && rest_.empty(); }

private:
  std::string_view rest_;
  std::uint8_t kind_ = 0;
  bool ok_ = true;
};

/// The smallest key greater than every key that begins with `prefix`; empty if
/// there is none, which no kind byte reaches.
[[nodiscard]] std::string prefix_end(std::string_view prefix);

/// Length of the part of a key that names kind and tenant (or kind alone, for
/// logs); 0 for kinds whose keys are random and gain nothing from a hint, and
/// for keys that end in `hintless_zeros` zero bytes.
[[nodiscard]] std::size_t hint_prefix_size(std::string_view key) noexcept;

/// No row's key ends in so many zero bytes: the most is 17, a lane and two
/// numbers. Range tombstones begin at such a key (see family.cpp).
inline constexpr std::size_t hintless_zeros = 18;

// order
std::string order_key(std::string_view tenant, std::string_view order_id);
std::string idempotency_key(std::string_view tenant, std::string_view key);
std::string outbox_key(std::uint8_t lane, std::uint64_t position);
std::string named_event_key(std::string_view tenant, std::string_view event_id);
// inventory
std::string stock_key(std::string_view tenant, std::string_view sku);
std::string reservation_key(std::string_view tenant, std::string_view id);
std::string held_chunk_key(std::uint64_t chunk);
// relay
std::string relay_cursor_key(std::uint8_t lane);
std::string receipt_run_key(std::uint8_t lane, std::uint64_t last_position);
std::string receipt_single_key(std::uint8_t lane, std::uint64_t position,
                               std::uint64_t offer);
std::string held_stream_key(std::string_view tenant,
                            std::string_view aggregate);
// consumers
std::string stream_key(std::string_view tenant, std::string_view consumer,
                       std::string_view aggregate);
std::string inbox_entry_key(std::string_view tenant, std::string_view consumer,
                            std::string_view aggregate, std::uint64_t sequence);
std::string foreign_event_key(std::string_view tenant,
                              std::string_view consumer,
                              std::string_view event_id);
std::string waiting_room_key(std::string_view tenant, std::string_view consumer,
                             std::string_view aggregate,
                             std::uint64_t sequence);
std::string waiting_stream_key(std::string_view tenant,
                               std::string_view consumer,
                               std::string_view aggregate);
std::string aside_key(std::string_view tenant, std::string_view dead_letter_id);
std::string to_tell_key(std::string_view tenant,
                        std::string_view dead_letter_id);
std::string clean_stop_key(std::string_view consumer);
std::string history_key(std::string_view consumer);
std::string skip_key(std::string_view tenant, std::string_view consumer,
                     std::string_view aggregate, std::uint64_t sequence);
// dead letters
std::string dead_letter_key(std::string_view tenant, std::string_view id);
std::string payload_key(std::string_view tenant, std::string_view id);
std::string dead_letter_order_key(std::string_view tenant,
                                  std::string_view aggregate,
                                  std::string_view id);
std::string operator_log_key(std::uint64_t position);
std::string replay_key(std::string_view tenant, std::string_view replay_id);
std::string replay_item_key(std::string_view tenant, std::string_view replay_id,
                            std::uint64_t number);
/// Which replay holds a dead letter.
std::string open_replay_key(std::string_view tenant,
                            std::string_view dead_letter_id);
/// `scope` is the number of a domain::pause_scope.
std::string pause_key(std::uint8_t scope, std::string_view tenant,
                      std::string_view consumer, std::string_view aggregate);
std::string letter_counts_key(std::string_view tenant);
/// A time before 1970 stands as 1970.
std::string letter_time_key(std::string_view tenant, std::int64_t first_seen,
                            std::string_view id);
// bus
std::string topic_log_key(std::string_view topic, std::uint64_t last_position);
std::string topic_cursor_key(std::string_view topic, std::string_view consumer);

} // namespace parcelflow::storage
