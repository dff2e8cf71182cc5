#include "storage/dead_letter_join.hpp"

#include "storage/consumer_homes.hpp"
#include "storage/keys.hpp"

#include <algorithm>

namespace parcelflow::storage {

using domain::dead_letter_evidence;

namespace {

constexpr std::string_view control_tenant = "_control";
constexpr std::size_t control_tenants_max = 16;
constexpr std::size_t control_streams_max = 64;
constexpr std::size_t head = 2; // of a payload's row: record version, key id

/// The id of what applying the event made.
std::string effect_id_of(row_reader& in, owner of,
                         const domain::dead_letter& letter,
                         const domain::stream_row& row) {
  if (of == owner::fulfillment) {
    const auto job = in.whole(domain::decode_job(row.effect));
    return job && *job ? (*job)->fulfillment_id : std::string();
  }
  if (of != owner::notification)
    return {};
  const auto name = letter.event_type == domain::order_cancelled
                      ? domain::cancellation_template
                      : domain::confirmation_template;
  if (const auto sends = in.whole(domain::decode_sends(row.effect)))
    for (const auto& send : *sends)
      if (send.template_name == name)
        return send.notification_id;
  return {};
}

/// A stream of that tenant and consumer that applied something and does not
/// wait.
std::optional<domain::control_stream> moving_stream(row_reader& in, owner of,
                                                    std::string_view tenant,
                                                    std::string_view consumer) {
  std::optional<domain::control_stream> found;
  const auto from = key_writer(kind::stream).text(tenant).text(consumer).take();
  std::size_t looked_at = 0;
  in.rows().scan(
    of, from, prefix_end(from),
    [&](std::string_view key, std::string_view value) {
      const auto row = in.whole(domain::decode_stream(value));
      if (row && row->position > 0 && !row->waiting && !row->recent.empty()) {
        key_reader parts(key);
        parts.text();
        parts.text();
        found = domain::control_stream{std::string(tenant),
                                       std::string(consumer), parts.text(),
                                       row->position, row->recent.back().at};
      }
      return !found && ++looked_at < control_streams_max;
    });
  return found;
}

std::optional<domain::control_stream>
control_of(row_reader& in, owner of, const domain::dead_letter& letter,
           const std::vector<std::string>& tenants) {
  std::size_t asked = 0;
  for (const auto& tenant : tenants) {
    if (tenant == letter.tenant_id || ++asked > control_tenants_max)
      continue;
    if (auto found = moving_stream(in, of, tenant, letter.consumer))
      return found;
  }
  return moving_stream(in, of, control_tenant, letter.consumer);
}

} // namespace

std::optional<domain::dead_letter>
letter_of(row_reader& in, std::string_view tenant, std::string_view id) {
  return in.get(
    owner::dead_letter, dead_letter_key(tenant, id),
    [&](auto bytes) { return domain::decode_dead_letter(tenant, id, bytes); });
}

std::optional<std::string> payload_of(row_reader& in, std::string_view tenant,
                                      std::string_view id) {
  auto payload = in.rows().get(owner::dead_letter, payload_key(tenant, id));
  if (payload)
    payload->erase(0, std::min(head, payload->size()));
  return payload;
}

dead_letter_evidence
evidence_of(row_reader& in, domain::dead_letter letter,
            const std::vector<std::string>& control_tenants) {
  dead_letter_evidence shown;
  if (const auto payload =
        payload_of(in, letter.tenant_id, letter.dead_letter_id))
    shown.payload_bytes = payload->size();
  if (const auto home = home_of(in, letter.consumer)) {
    const auto& [where, row, from] =
      follow(in, *home, letter.tenant_id, letter.aggregate_id);
    shown.position = row.position;
    if (!from.empty())
      shown.redirected_to = where.name;
    auto used = used_at(in, where, letter.tenant_id, letter.aggregate_id, row,
                        letter.observed_sequence);
    // Another event may stand there: that is a fork, not a result.
    if (used && used->event_id == letter.event_id
        && used->digest == letter.digest) {
      if (used->mark == domain::inbox_mark::applied)
        shown.effect_id = effect_id_of(in, where.of, letter, row);
      shown.result = std::move(used);
    }
    shown.control = control_of(in, where.of, letter, control_tenants);
  }
  shown.letter = std::move(letter);
  return shown;
}

} // namespace parcelflow::storage
