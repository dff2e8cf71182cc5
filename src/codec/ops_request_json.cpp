#include "codec/ops_request_json.hpp"

#include "codec/json_members.hpp"
#include "codec/strict_json.hpp"
#include "codec/value_rules.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace parcelflow::codec {

using domain::failure;

namespace {

constexpr json_limits body_limits{.bytes_max = 8192, .depth_max = 2};
constexpr std::int64_t sequence_max = std::numeric_limits<std::int64_t>::max();

constexpr text_rule reason_rule = {
  [](std::string_view text) { return text.size() <= 500; },
  "text of at most 500 bytes"};
constexpr text_rule consumer_rule = {
  [](std::string_view text) { return !text.empty() && text.size() <= 64; },
  "the name of a consumer"};

domain::outcome<nlohmann::json> object_in(std::string_view body) {
  auto parsed = parse_strict(body.empty() ? "{}" : body, body_limits);
  if (parsed && !parsed->is_object())
    return {failure::invalid_request, "the body must be a JSON object"};
  return parsed;
}

std::uint64_t number_or(member_reader& in, const nlohmann::json& object,
                        std::string_view name, std::uint64_t otherwise,
                        std::int64_t max = sequence_max) {
  if (!object.contains(std::string(name)))
    return otherwise;
  return static_cast<std::uint64_t>(in.integer(name, 1, max));
}

template <class Read>
domain::outcome<stream_body>
read_stream(std::string_view body, std::initializer_list<std::string_view> only,
            Read more) {
  const auto object = object_in(body);
  if (!object)
    return object.why();
  member_reader in(*object, failure::invalid_request);
  in.only(only);
  stream_body of;
  of.consumer = in.text("consumer", consumer_rule);
  of.aggregate_id = in.text("aggregateId", public_id_rule);
  of.reason = in.optional_text("reason", reason_rule);
  more(in, *object, of);
  if (in.failed())
    return in.why();
  return of;
}

} // namespace

domain::outcome<filter_terms> parse_plan_request(std::string_view body) {
  const auto object = object_in(body);
  if (!object)
    return object.why();
  filter_terms terms;
  for (const auto& [name, value] : object->items()) {
    const auto& known = filter_names();
    if (std::find(known.begin(), known.end(), name) == known.end())
      return {failure::invalid_request,
              "\"" + name + "\" is no term of a filter"};
    if (!value.is_string() && !value.is_number_unsigned())
      return {failure::invalid_request, name + " must be a text"};
    terms.emplace_back(name, value.is_string() ? value.get<std::string>()
                                               : value.dump());
  }
  return terms;
}

domain::outcome<execute_body> parse_execute(std::string_view body) {
  constexpr std::int64_t rate_max = 1'000;
  const auto object = object_in(body);
  if (!object)
    return object.why();
  member_reader in(*object, failure::invalid_request);
  in.only({"ratePerS", "reason"});
  execute_body of;
  of.rate_per_s =
    static_cast<std::uint32_t>(number_or(in, *object, "ratePerS", 0, rate_max));
  of.reason = in.optional_text("reason", reason_rule);
  if (in.failed())
    return in.why();
  return of;
}

domain::outcome<std::string> parse_reason(std::string_view body) {
  const auto object = object_in(body);
  if (!object)
    return object.why();
  member_reader in(*object, failure::invalid_request);
  in.only({"reason"});
  auto reason = in.optional_text("reason", reason_rule);
  if (in.failed())
    return in.why();
  return reason;
}

domain::outcome<stream_body> parse_skip(std::string_view body) {
  return read_stream(body, {"consumer", "aggregateId", "sequence", "reason"},
                     [](auto& in, const auto&, auto& of) {
                       of.sequence = static_cast<std::uint64_t>(
                         in.integer("sequence", 1, sequence_max));
                     });
}

domain::outcome<stream_body> parse_redirect(std::string_view body) {
  return read_stream(body, {"consumer", "aggregateId", "toConsumer", "reason"},
                     [](auto& in, const auto&, auto& of) {
                       of.to_consumer = in.text("toConsumer", consumer_rule);
                     });
}

domain::outcome<stream_body> parse_resend(std::string_view body) {
  return read_stream(body, {"consumer", "aggregateId", "from", "to", "reason"},
                     [](auto& in, const auto& object, auto& of) {
                       of.from = number_or(in, object, "from", 1);
                       of.to = number_or(in, object, "to", 0);
                     });
}

domain::outcome<pause_body> parse_pause(std::string_view body) {
  using domain::pause_scope;
  const auto object = object_in(body);
  if (!object)
    return object.why();
  member_reader in(*object, failure::invalid_request);
  in.only({"scope", "consumer", "aggregateId", "reason"});
  constexpr text_rule scope_rule = {
    [](std::string_view text) {
      constexpr std::array<std::string_view, 4> all{"relay", "consumer",
                                                    "tenant", "stream"};
      return std::find(all.begin(), all.end(), text) != all.end();
    },
    "relay, consumer, tenant or stream"};
  pause_body of;
  const auto scope = in.text("scope", scope_rule);
  for (const auto one : {pause_scope::relay, pause_scope::consumer,
                         pause_scope::tenant, pause_scope::stream})
    if (domain::to_string(one) == scope)
      of.target.scope = one;
  of.reason = in.optional_text("reason", reason_rule);
  if (of.target.scope == pause_scope::consumer)
    of.target.consumer = in.text("consumer", consumer_rule);
  if (of.target.scope == pause_scope::stream) {
    of.target.consumer = in.optional_text("consumer", consumer_rule);
    of.target.aggregate_id = in.text("aggregateId", public_id_rule);
  }
  if (in.failed())
    return in.why();
  return of;
}

} // namespace parcelflow::codec
