#include "codec/access_json.hpp"

#include <doctest/doctest.h>

namespace parcelflow::codec {

namespace {

domain::access_registry example() {
  domain::access_registry registry;
  registry.tenants = {{"acme", domain::tenant_state::active},
                      {"gone", domain::tenant_state::erased}};
  registry.tokens.push_back(
    {"tok-1", {0xAB}, domain::role::responder, {false, {"acme"}}, 1, 2, false});
  registry.tokens.push_back(
    {"tok-2", {0xCD}, domain::role::admin, {true, {}}, 3, 4, true});
  return registry;
}

// The example's text with one part replaced.
std::string changed(std::string_view part, std::string_view by) {
  auto text = encode_access(example());
  const auto at = text.find(part);
  REQUIRE_MESSAGE(at != std::string::npos, part);
  return text.replace(at, part.size(), by);
}

std::string refusal(const std::string& text) {
  const auto result = decode_access(text);
  REQUIRE_FALSE_MESSAGE(result.ok(), text);
  CHECK(result.why().code == domain::failure::config_invalid);
  return result.why().detail;
}

} // namespace

TEST_CASE("a registry survives its text, and the text is stable") {
  const auto text = encode_access(example());
  const auto back = decode_access(text);
  REQUIRE(back.ok());
  CHECK(*back == example());
  CHECK(encode_access(*back) == text);
  CHECK(text.ends_with("}\n"));
}

TEST_CASE("an empty registry is a legal file") {
  const auto back = decode_access(encode_access({}));
  REQUIRE(back.ok());
  CHECK(back->tokens.empty());
  CHECK(back->tenants.empty());
}

TEST_CASE("any slip refuses the whole file and names its member") {
  CHECK(refusal("").size() > 0);
  CHECK(refusal("[]") == "the text must be a JSON object");
  CHECK(refusal("{\"format\":1,\"tenants\":{}}").starts_with("tokens must"));
  CHECK(refusal("{\"format\":1,\"tokens\":[]}") == "tenants is missing");
  CHECK(refusal(changed("\"format\": 1", "\"format\": 2"))
          .starts_with("format must"));
  CHECK(refusal(changed("\"role\"", "\"rule\"")).find("\"rule\"")
        != std::string::npos);
  CHECK(refusal(changed("responder", "root"))
        == "tokens[0].role must be operator, responder or admin");
  CHECK(refusal(changed("\"revoked\"", "true"))
        == "tokens[1].state must be active or revoked");
  CHECK(refusal(changed("ab00", "AB00")).starts_with("tokens[0].sha256"));
  CHECK(refusal(changed("tok-2", "tok-1")) == "tokens[1].id was given already");
  CHECK(refusal(changed("tok-2", "tok 2")).starts_with("tokens[1].id must"));
  CHECK(refusal(changed("\"*\"", "\"*\", \"acme\""))
          .starts_with("tokens[1].tenants must"));
  CHECK(refusal(changed("\"*\"", "")).starts_with("tokens[1].tenants must"));
  CHECK(refusal(changed("\"*\"", "\"_control\""))
          .starts_with("tokens[1].tenants must"));
  CHECK(refusal(changed("\"issued_at_ms\": 1", "\"issued_at_ms\": -1"))
          .starts_with("tokens[0].issued_at_ms must"));
  CHECK(refusal(changed("\"erased\"", "\"dead\"")).starts_with("tenants: "));
  CHECK(refusal(changed("\"gone\"", "\"_gone\"")).starts_with("tenants: "));
  CHECK(refusal(changed("\"gone\"", "\"acme\"")).size() > 0);
}

} // namespace parcelflow::codec
