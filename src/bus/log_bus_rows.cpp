#include "bus/log_bus_rows.hpp"

#include "codec/event_json.hpp"
#include "support/assert.hpp"
#include "support/record.hpp"

#include <algorithm>
#include <memory>

namespace parcelflow::bus {
namespace {

constexpr std::uint8_t log_record = 1;
constexpr std::uint8_t cursor_record = 1;

struct row_head {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};

/// The head, if it agrees with the key: what it says can be relied on then.
std::optional<row_head> read_head(support::record_reader& in,
                                  std::uint64_t last) {
  row_head head;
  head.first = in.u64();
  head.count = in.count();
  const bool agrees = in.ok() && head.first >= 1 && head.count >= 1
                      && head.first <= last
                      && head.count == last - head.first + 1;
  return agrees ? std::optional(head) : std::nullopt;
}

delivery& add(const log_range& wanted, std::size_t index, delivery_batch& out) {
  auto& one = out.emplace_back();
  one.topic = wanted.topic;
  one.token = wanted.from + index;
  return one;
}

void add_event(std::string_view bytes, std::uint32_t offer, delivery& one) {
  one.offer = offer;
  auto decoded = codec::decode_event(bytes);
  if (decoded) {
    one.event = *std::move(decoded);
    return;
  }
  one.raw = std::make_shared<const std::string>(bytes);
  one.why = decoded.why();
}

/// Whatever the row held at these positions, it cannot be told apart any more.
std::size_t add_damaged(std::string_view value, std::uint64_t last,
                        const log_range& wanted, std::size_t already,
                        delivery_batch& out) {
  const auto raw = std::make_shared<const std::string>(value);
  const auto in_row = static_cast<std::size_t>(
    std::min<std::uint64_t>(wanted.count, last - wanted.from + 1));
  for (std::size_t i = already; i < in_row; ++i) {
    auto& one = add(wanted, i, out);
    one.raw = raw;
    one.why = {domain::failure::storage_corrupt,
               "the row of the topic log with last position "
                 + std::to_string(last) + " is damaged"};
  }
  return in_row;
}

} // namespace

std::string encode_log_row(std::uint64_t first,
                           const std::vector<offered>& batch) {
  PF_ASSERT(first >= 1 && !batch.empty());
  support::record_writer out(log_record);
  out.u64(first).u64(batch.size());
  for (const auto& one : batch)
    out.u64(one.offer).text(one.event->bytes);
  return out.take();
}

std::optional<std::uint64_t> first_in_log_row(std::string_view value,
                                              std::uint64_t last) {
  support::record_reader in(value, log_record);
  const auto head = read_head(in, last);
  return head ? std::optional(head->first) : std::nullopt;
}

std::size_t read_log_row(std::string_view value, std::uint64_t last,
                         const log_range& wanted, delivery_batch& out) {
  PF_ASSERT(wanted.from >= 1 && wanted.from <= last);
  support::record_reader in(value, log_record);
  const auto head = read_head(in, last);
  if (!head)
    return add_damaged(value, last, wanted, 0, out);
  if (head->first > wanted.from)
    return 0;
  std::size_t taken = 0;
  for (auto at = head->first; at <= last && taken < wanted.count; ++at) {
    const auto offer = in.u32();
    const auto bytes = in.text_view();
    if (!in.ok())
      return add_damaged(value, last, wanted, taken, out);
    if (at >= wanted.from)
      add_event(bytes, offer, add(wanted, taken++, out));
  }
  return taken;
}

std::string encode_log_cursor(std::uint64_t settled_up_to) {
  return support::record_writer(cursor_record).u64(settled_up_to).take();
}

std::optional<std::uint64_t> decode_log_cursor(std::string_view value) {
  support::record_reader in(value, cursor_record);
  const auto settled_up_to = in.u64();
  return in.complete() ? std::optional(settled_up_to) : std::nullopt;
}

} // namespace parcelflow::bus
