#include "storage/keys.hpp"

#include <algorithm>

namespace parcelflow::storage {
namespace {

constexpr char nul = '\0';
constexpr char end_of_text = '\x01';
constexpr char escaped_nul = '\xFF';

std::string tenant_key(kind of, std::string_view tenant,
                       std::string_view rest) {
  return key_writer(of).text(tenant).text(rest).take();
}

std::string consumer_key(kind of, std::string_view tenant,
                         std::string_view consumer, std::string_view rest) {
  return key_writer(of).text(tenant).text(consumer).text(rest).take();
}

} // namespace

key_writer& key_writer::text(std::string_view value) {
  for (;;) {
    const auto at = value.find(nul);
    bytes_.append(value.substr(0, at));
    if (at == std::string_view::npos)
      break;
    bytes_.push_back(nul);
    bytes_.push_back(escaped_nul);
    value.remove_prefix(at + 1);
  }
  bytes_.push_back(nul);
  bytes_.push_back(end_of_text);
  return *this;
}

key_writer& key_writer::number(std::uint64_t value) {
  char big_endian[8];
  for (std::size_t i = 8; i-- > 0; value >>= 8U)
    big_endian[i] = static_cast<char>(value & 0xFFU);
  bytes_.append(big_endian, sizeof big_endian);
  return *this;
}

key_reader::key_reader(std::string_view bytes) {
  ok_ = !bytes.empty();
  if (!ok_)
    return;
  kind_ = static_cast<std::uint8_t>(bytes.front());
  rest_ = bytes.substr(1);
}

std::string key_reader::text() {
  std::string value;
  while (ok_) {
    const auto at = rest_.find(nul);
    if (at == std::string_view::npos || at + 1 >= rest_.size())
      break;
    value.append(rest_.substr(0, at));
    const char mark = rest_[at + 1];
    rest_.remove_prefix(at + 2);
    if (mark == end_of_text)
      return value;
    if (mark != escaped_nul)
      break;
    value.push_back(nul);
  }
  ok_ = false;
  return {};
}

std::uint64_t key_reader::number() {
  if (!ok_ || rest_.size() < 8) {
    ok_ = false;
    return 0;
  }
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < 8; ++i)
    value = (value << 8U) | static_cast<std::uint8_t>(rest_[i]);
  rest_.remove_prefix(8);
  return value;
}

std::uint8_t key_reader::byte() {
  if (!ok_ || rest_.empty()) {
    ok_ = false;
    return 0;
  }
  const auto value = static_cast<std::uint8_t>(rest_.front());
  rest_.remove_prefix(1);
  return value;
}

std::string prefix_end(std::string_view prefix) {
  std::string end(prefix);
  while (!end.empty()) {
    const auto last = static_cast<std::uint8_t>(end.back());
    if (last != 0xFFU) {
      end.back() = static_cast<char>(last + 1);
      return end;
    }
    end.pop_back();
  }
  return end;
}

std::size_t hint_prefix_size(std::string_view key) noexcept {
  constexpr std::string_view zeros("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 18);
  static_assert(zeros.size() == hintless_zeros);
  if (key.empty() || key.ends_with(zeros))
    return 0;
  switch (static_cast<kind>(key.front())) {
  case kind::idempotency_key:
  case kind::named_event:
  case kind::foreign_event:
  case kind::aside:
  case kind::open_replay:
  case kind::to_tell: return 0;
  case kind::outbox:
  case kind::relay_cursor:
  case kind::receipt_run:
  case kind::receipt_single:
  case kind::held_chunk:
  case kind::operator_log:
  case kind::format:
  case kind::topic_log:
  case kind::topic_cursor: return 1;
  default: break;
  }
  for (std::size_t at = 1; at + 1 < key.size(); ++at)
    if (key[at] == nul && key[at + 1] == end_of_text)
      return at + 2;
  return 0;
}

std::string order_key(std::string_view tenant, std::string_view order_id) {
  return tenant_key(kind::order, tenant, order_id);
}
std::string idempotency_key(std::string_view tenant, std::string_view key) {
  return tenant_key(kind::idempotency_key, tenant, key);
}
std::string outbox_key(std::uint8_t lane, std::uint64_t position) {
  return key_writer(kind::outbox).byte(lane).number(position).take();
}
std::string named_event_key(std::string_view tenant,
                            std::string_view event_id) {
  return tenant_key(kind::named_event, tenant, event_id);
}
std::string stock_key(std::string_view tenant, std::string_view sku) {
  return tenant_key(kind::stock, tenant, sku);
}
std::string reservation_key(std::string_view tenant, std::string_view id) {
  return tenant_key(kind::reservation, tenant, id);
}
std::string held_chunk_key(std::uint64_t chunk) {
  return key_writer(kind::held_chunk).number(chunk).take();
}
std::string relay_cursor_key(std::uint8_t lane) {
  return key_writer(kind::relay_cursor).byte(lane).take();
}
std::string receipt_run_key(std::uint8_t lane, std::uint64_t last_position) {
  return key_writer(kind::receipt_run).byte(lane).number(last_position).take();
}
std::string receipt_single_key(std::uint8_t lane, std::uint64_t position,
                               std::uint64_t offer) {
  return key_writer(kind::receipt_single)
    .byte(lane)
    .number(position)
    .number(offer)
    .take();
}
std::string held_stream_key(std::string_view tenant,
                            std::string_view aggregate) {
  return tenant_key(kind::held_stream, tenant, aggregate);
}
std::string stream_key(std::string_view tenant, std::string_view consumer,
                       std::string_view aggregate) {
  return consumer_key(kind::stream, tenant, consumer, aggregate);
}
std::string inbox_entry_key(std::string_view tenant, std::string_view consumer,
                            std::string_view aggregate,
                            std::uint64_t sequence) {
  return key_writer(kind::inbox_entry)
    .text(tenant)
    .text(consumer)
    .text(aggregate)
    .number(sequence)
    .take();
}
std::string foreign_event_key(std::string_view tenant,
                              std::string_view consumer,
                              std::string_view event_id) {
  return consumer_key(kind::foreign_event, tenant, consumer, event_id);
}
std::string waiting_room_key(std::string_view tenant, std::string_view consumer,
                             std::string_view aggregate,
                             std::uint64_t sequence) {
  return key_writer(kind::waiting_room)
    .text(tenant)
    .text(consumer)
    .text(aggregate)
    .number(sequence)
    .take();
}
std::string waiting_stream_key(std::string_view tenant,
                               std::string_view consumer,
                               std::string_view aggregate) {
  return consumer_key(kind::waiting_stream, tenant, consumer, aggregate);
}
std::string aside_key(std::string_view tenant,
                      std::string_view dead_letter_id) {
  return tenant_key(kind::aside, tenant, dead_letter_id);
}
std::string to_tell_key(std::string_view tenant,
                        std::string_view dead_letter_id) {
  return tenant_key(kind::to_tell, tenant, dead_letter_id);
}
std::string clean_stop_key(std::string_view consumer) {
  return key_writer(kind::clean_stop).text(consumer).take();
}
std::string history_key(std::string_view consumer) {
  return key_writer(kind::history).text(consumer).take();
}
std::string skip_key(std::string_view tenant, std::string_view consumer,
                     std::string_view aggregate, std::uint64_t sequence) {
  return key_writer(kind::skip)
    .text(tenant)
    .text(consumer)
    .text(aggregate)
    .number(sequence)
    .take();
}
std::string dead_letter_key(std::string_view tenant, std::string_view id) {
  return tenant_key(kind::dead_letter, tenant, id);
}
std::string payload_key(std::string_view tenant, std::string_view id) {
  return tenant_key(kind::payload, tenant, id);
}
std::string dead_letter_order_key(std::string_view tenant,
                                  std::string_view aggregate,
                                  std::string_view id) {
  return consumer_key(kind::dead_letter_order, tenant, aggregate, id);
}
std::string operator_log_key(std::uint64_t position) {
  return key_writer(kind::operator_log).number(position).take();
}
std::string replay_key(std::string_view tenant, std::string_view replay_id) {
  return tenant_key(kind::replay, tenant, replay_id);
}
std::string replay_item_key(std::string_view tenant, std::string_view replay_id,
                            std::uint64_t number) {
  return key_writer(kind::replay_item)
    .text(tenant)
    .text(replay_id)
    .number(number)
    .take();
}
std::string open_replay_key(std::string_view tenant,
                            std::string_view dead_letter_id) {
  return tenant_key(kind::open_replay, tenant, dead_letter_id);
}
std::string pause_key(std::uint8_t scope, std::string_view tenant,
                      std::string_view consumer, std::string_view aggregate) {
  return key_writer(kind::pause)
    .text(tenant)
    .text(consumer)
    .text(aggregate)
    .byte(scope)
    .take();
}
std::string letter_counts_key(std::string_view tenant) {
  return key_writer(kind::letter_counts).text(tenant).take();
}
std::string letter_time_key(std::string_view tenant, std::int64_t first_seen,
                            std::string_view id) {
  return key_writer(kind::letter_time)
    .text(tenant)
    .number(static_cast<std::uint64_t>(std::max<std::int64_t>(first_seen, 0)))
    .text(id)
    .take();
}
std::string topic_log_key(std::string_view topic, std::uint64_t last_position) {
  return key_writer(kind::topic_log).text(topic).number(last_position).take();
}
std::string topic_cursor_key(std::string_view topic,
                             std::string_view consumer) {
  return key_writer(kind::topic_cursor).text(topic).text(consumer).take();
}

} // namespace parcelflow::storage
