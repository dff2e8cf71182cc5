#include "codec/access_json.hpp"

#include "codec/json_members.hpp"
#include "codec/json_text.hpp"
#include "codec/strict_json.hpp"
#include "support/digest.hpp"

#include <algorithm>
#include <set>

namespace parcelflow::codec {

namespace {

using domain::access_registry;
using nlohmann::json;

constexpr auto invalid = domain::failure::config_invalid;
constexpr std::size_t file_bytes_max = std::size_t{16} << 20;
constexpr std::int64_t instant_max = 253'402'300'799'999; // end of year 9999

constexpr text_rule token_id_rule = {
  [](std::string_view text) {
    return !text.empty() && text.size() <= 64
           && std::ranges::all_of(text, [](char c) {
                return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')
                       || c == '-';
              });
  },
  "1 to 64 characters of a-z 0-9 -"};

constexpr text_rule hash_rule = {
  [](std::string_view text) {
    return support::digest_of_hex(text).has_value();
  },
  "64 lower-case hex digits"};

constexpr text_rule role_rule = {
  [](std::string_view text) { return domain::role_named(text).has_value(); },
  "operator, responder or admin"};

constexpr text_rule state_rule = {
  [](std::string_view text) { return text == "active" || text == "revoked"; },
  "active or revoked"};

domain::tenant_set read_tenant_set(member_reader& members) {
  const auto* array = members.array("tenants", access_registry::tenants_max);
  if (array == nullptr)
    return {};
  if (*array == json::array({"*"}))
    return {true, {}};
  domain::tenant_set set;
  for (const auto& item : *array) {
    const auto* name = item.get_ptr<const std::string*>();
    if (name == nullptr || !domain::is_customer_tenant(*name)
        || set.contains(*name)) {
      members.fail(members.path_of("tenants")
                   + " must be [\"*\"] or different tenant names");
      return {};
    }
    set.names.push_back(*name);
  }
  return set;
}

domain::token_entry read_token(member_reader& members) {
  domain::token_entry token;
  members.only({"id", "sha256", "role", "tenants", "issued_at_ms",
                "expires_at_ms", "state"});
  token.token_id = members.text("id", token_id_rule);
  const auto hash = members.text("sha256", hash_rule);
  const auto granted = members.text("role", role_rule);
  token.tenants = read_tenant_set(members);
  token.issued_at_ms = members.integer("issued_at_ms", 0, instant_max);
  token.expires_at_ms = members.integer("expires_at_ms", 0, instant_max);
  token.revoked = members.text("state", state_rule) == "revoked";
  if (!members.failed()) {
    token.hash = *support::digest_of_hex(hash);
    token.granted = *domain::role_named(granted);
  }
  return token;
}

void read_tenants(member_reader& members, access_registry& into) {
  const auto* tenants = members.object("tenants");
  if (tenants == nullptr)
    return;
  if (tenants->size() > access_registry::tenants_max)
    return members.fail("tenants: too many");
  for (const auto& [name, value] : tenants->items()) {
    const auto* text = value.get_ptr<const std::string*>();
    const auto state =
      text != nullptr ? domain::tenant_state_named(*text) : std::nullopt;
    if (!domain::is_customer_tenant(name) || !state)
      return members.fail("tenants: " + shown_name(name)
                          + " must be a tenant name with active, suspended "
                            "or erased");
    into.tenants.emplace(name, *state);
  }
}

void read_tokens(const json& file, member_reader& members,
                 access_registry& into) {
  const auto found = file.find("tokens");
  if (members.failed())
    return;
  if (found == file.end() || !found->is_array()
      || found->size() > access_registry::tokens_max)
    return members.fail("tokens must be an array of at most "
                        + std::to_string(access_registry::tokens_max));
  std::set<std::string, std::less<>> ids;
  for (const auto& item : *found) {
    const auto path = "tokens[" + std::to_string(into.tokens.size()) + "]";
    member_reader inner(item, invalid, path);
    into.tokens.push_back(read_token(inner));
    if (!inner.failed() && !ids.insert(into.tokens.back().token_id).second)
      inner.fail(path + ".id was given already");
    if (inner.failed())
      return members.fail_with(inner);
  }
}

json token_json(const domain::token_entry& token) {
  return {{"id", token.token_id},
          {"sha256", support::hex(token.hash)},
          {"role", domain::to_string(token.granted)},
          {"tenants",
           token.tenants.all ? json::array({"*"}) : json(token.tenants.names)},
          {"issued_at_ms", token.issued_at_ms},
          {"expires_at_ms", token.expires_at_ms},
          {"state", token.revoked ? "revoked" : "active"}};
}

} // namespace

std::string encode_access(const domain::access_registry& of) {
  json file{
    {"format", 1}, {"tenants", json::object()}, {"tokens", json::array()}};
  for (const auto& [name, state] : of.tenants)
    file["tenants"][name] = domain::to_string(state);
  for (const auto& token : of.tokens)
    file["tokens"].push_back(token_json(token));
  return file.dump(2) + "\n";
}

domain::outcome<domain::access_registry> decode_access(std::string_view text) {
  const auto parsed =
    parse_strict(text, {.bytes_max = file_bytes_max, .depth_max = 5});
  if (!parsed)
    return {invalid, parsed.why().detail};
  access_registry registry;
  member_reader members(*parsed, invalid);
  members.only({"format", "tenants", "tokens"});
  members.integer("format", 1, 1);
  read_tenants(members, registry);
  read_tokens(*parsed, members, registry);
  if (members.failed())
    return members.why();
  return registry;
}

} // namespace parcelflow::codec
