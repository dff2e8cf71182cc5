#include "codec/event_json.hpp"

#include "codec/digest_input.hpp"
#include "codec/json_members.hpp"
#include "codec/json_text.hpp"
#include "codec/trace_context.hpp"
#include "codec/value_rules.hpp"
#include "support/assert.hpp"

#include <limits>
#include <memory>
#include <utility>

namespace parcelflow::codec {
namespace {

using domain::envelope;
using domain::event;
using domain::failure;

constexpr text_rule tenant_name_rule = {
  [](std::string_view text) { return domain::is_tenant_name(text); },
  "a tenant name: 1 to 63 characters of a-z 0-9 -"};
constexpr text_rule trace_id_rule = {
  [](std::string_view text) { return is_trace_id(text); },
  "32 lower-case hex digits"};
constexpr text_rule traceparent_rule = {
  [](std::string_view text) { return trace_id_of(text).has_value(); },
  "a W3C traceparent"};

std::string encode(const envelope& of) {
  constexpr std::size_t names_and_numbers = 256;
  std::string out;
  out.reserve(names_and_numbers + of.event_id.size() + of.event_type.size()
              + of.tenant_id.size() + of.aggregate_id.size()
              + of.occurred_at.size() + of.trace_id.size()
              + of.traceparent.size() + of.data.size());
  object_writer members(out);
  members.text("eventId", of.event_id)
    .text("eventType", of.event_type)
    .number("eventVersion", of.event_version)
    .text("tenantId", of.tenant_id)
    .text("aggregateId", of.aggregate_id)
    .number("aggregateSequence", of.aggregate_sequence)
    .text("occurredAt", of.occurred_at)
    .text("traceId", of.trace_id);
  if (!of.traceparent.empty())
    members.text("traceparent", of.traceparent);
  members.raw("data", of.data).close();
  return out;
}

/// All members but `data`, which is taken from the text.
envelope read_members(member_reader& members) {
  envelope of;
  of.event_id = members.text("eventId", public_id_rule);
  of.event_type = members.text("eventType", public_id_rule);
  of.event_version = static_cast<std::uint32_t>(members.integer(
    "eventVersion", 1, std::numeric_limits<std::uint32_t>::max()));
  of.tenant_id = members.text("tenantId", tenant_name_rule);
  of.aggregate_id = members.text("aggregateId", public_id_rule);
  // Below 2^63, so that "the next sequence" always exists.
  of.aggregate_sequence = static_cast<std::uint64_t>(members.integer(
    "aggregateSequence", 1, std::numeric_limits<std::int64_t>::max()));
  of.occurred_at = members.text("occurredAt", utc_instant_rule);
  of.trace_id = members.text("traceId", trace_id_rule);
  of.traceparent = members.optional_text("traceparent", traceparent_rule);
  members.object("data");
  if (!of.traceparent.empty() && trace_id_of(of.traceparent) != of.trace_id)
    members.fail("traceparent must name the trace of traceId");
  return of;
}

} // namespace

domain::sha256_digest digest_of(const envelope& of) {
  constexpr std::size_t lengths_and_numbers = 64;
  digest_input input(lengths_and_numbers + of.tenant_id.size()
                     + of.aggregate_id.size() + of.event_id.size()
                     + of.event_type.size() + of.occurred_at.size()
                     + of.data.size());
  input.text(of.tenant_id).text(of.aggregate_id);
  input.number(of.aggregate_sequence);
  input.text(of.event_id).text(of.event_type).number(of.event_version);
  input.text(of.occurred_at).text(of.data);
  return input.sha256();
}

domain::event_ptr make_event(envelope of) {
  PF_ASSERT(of.data.starts_with('{') && of.data.ends_with('}'));
  PF_ASSERT(of.aggregate_sequence > 0 && of.event_version > 0);
  auto made = std::make_shared<event>();
  made->bytes = encode(of);
  made->digest = digest_of(of);
  made->envelope = std::move(of);
  return made;
}

domain::outcome<domain::event_ptr> decode_event(std::string_view bytes,
                                                const envelope_limits& limits) {
  const auto parsed = parse_strict(bytes, limits.json);
  if (!parsed)
    return {failure::invalid_envelope, parsed.why().detail};
  member_reader members(*parsed, failure::invalid_envelope);
  auto of = read_members(members);
  if (members.failed())
    return members.why();
  const auto data = find_member(bytes, "data");
  PF_ASSERT(data.has_value());
  of.data = *data;
  auto made = std::make_shared<event>();
  made->bytes = bytes;
  made->digest = digest_of(of);
  made->envelope = std::move(of);
  return domain::event_ptr(std::move(made));
}

std::optional<std::string> tenant_named_in(std::string_view bytes,
                                           const envelope_limits& limits) {
  const auto parsed = parse_strict(bytes, limits.json);
  if (!parsed)
    return std::nullopt;
  member_reader members(*parsed, failure::invalid_envelope);
  auto tenant = members.text("tenantId", tenant_name_rule);
  if (members.failed())
    return std::nullopt;
  return tenant;
}

} // namespace parcelflow::codec
