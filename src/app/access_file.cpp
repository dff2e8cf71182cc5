#include "app/access_file.hpp"

#include "app/units.hpp"
#include "app/whole_file.hpp"
#include "codec/access_json.hpp"
#include "support/clock.hpp"
#include "support/digest.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>

namespace parcelflow::app {

namespace {

using domain::access_registry;
using domain::failure;

constexpr std::size_t file_bytes_max = std::size_t{16} << 20;
constexpr std::size_t token_random_bytes = 32; // the floor is 16: 128 bits
constexpr std::chrono::hours expired_kept{30 * 24};
constexpr std::chrono::milliseconds lifetime_min = std::chrono::minutes(1);
constexpr std::chrono::milliseconds lifetime_max =
  std::chrono::hours(10 * 365 * 24);

// Reads, lets `alter` work on the registry, and saves what it made.
domain::status
change(const std::string& path,
       const std::function<domain::status(access_registry&)>& alter) {
  const auto lock = file_lock::take(path + ".lock");
  if (!lock)
    return lock.why();
  auto registry = load_access(path);
  if (!registry && registry.why().code != failure::not_found)
    return registry.why();
  auto altered = registry ? std::move(*registry) : access_registry{};
  if (auto done = alter(altered); !done)
    return done;
  return save_access(path, altered);
}

domain::status make_folder_of(const std::string& path) {
  const auto folder = std::filesystem::path(path).parent_path();
  std::error_code why;
  if (!folder.empty())
    std::filesystem::create_directories(folder, why);
  if (why)
    return {failure::storage_io, folder.string() + ": " + why.message()};
  return domain::done();
}

domain::status register_tenants(access_registry& registry,
                                const domain::tenant_set& tenants) {
  for (const auto& name : tenants.names) {
    const auto state =
      registry.tenants.emplace(name, domain::tenant_state::active)
        .first->second;
    if (state == domain::tenant_state::erased)
      return {failure::tenant_erased,
              "tenant " + name + " was erased; its name is not used again"};
  }
  if (registry.tenants.size() > access_registry::tenants_max)
    return {failure::overloaded, "the registry is full of tenants"};
  return domain::done();
}

std::string_view state_of(const domain::token_entry& token,
                          std::int64_t now_ms) {
  if (token.revoked)
    return "revoked";
  return now_ms >= token.expires_at_ms ? "expired" : "active";
}

std::string joined(const domain::tenant_set& tenants) {
  if (tenants.all)
    return "*";
  std::string text;
  for (const auto& name : tenants.names)
    text += (text.empty() ? "" : ", ") + name;
  return text;
}

} // namespace

domain::outcome<access_registry> load_access(const std::string& path) {
  const auto text = read_whole(path, file_bytes_max);
  if (!text)
    return text.why();
  if ((text->mode & 022) != 0)
    return {failure::config_invalid,
            path + ": others may write it; chmod 600 it"};
  auto registry = codec::decode_access(text->bytes);
  if (!registry)
    return {failure::config_invalid, path + ": " + registry.why().detail};
  return registry;
}

domain::status save_access(const std::string& path, const access_registry& to) {
  return replace_whole(path, codec::encode_access(to));
}

domain::outcome<token_request> parse_token_request(std::string_view tenants,
                                                   std::string_view role,
                                                   std::string_view expires) {
  token_request request;
  if (tenants == "*") {
    request.tenants.all = true;
  } else {
    for (std::size_t from = 0; from <= tenants.size();) {
      const auto end = std::min(tenants.find(',', from), tenants.size());
      const auto name = tenants.substr(from, end - from);
      if (!domain::is_customer_tenant(name) || request.tenants.contains(name))
        return {failure::invalid_request,
                "tenants are * or different names of a-z 0-9 -, separated by "
                "commas"};
      request.tenants.names.emplace_back(name);
      from = end + 1;
    }
  }
  const auto granted = domain::role_named(role);
  if (!granted)
    return {failure::invalid_request, "a role is operator, responder or admin"};
  request.granted = *granted;
  // A bare number would leave the unit to guessing.
  const bool has_unit = !expires.empty() && expires.back() >= 'a';
  const auto lifetime = parse_duration(expires, std::chrono::milliseconds(1));
  if (!has_unit || !lifetime || *lifetime < lifetime_min
      || *lifetime > lifetime_max)
    return {failure::invalid_request,
            "a lifetime is 1m to 3650d, with unit s, m, h or d"};
  request.lifetime = *lifetime;
  return request;
}

domain::outcome<issued_token> issue_token(const std::string& path,
                                          const token_request& request,
                                          std::int64_t now_ms) {
  if (const auto made = make_folder_of(path); !made)
    return made.why();
  const issued_token issued{
    "pft_" + support::base64url(support::random_bytes(token_random_bytes)),
    "tok-" + support::hex(support::random_bytes(6)),
    now_ms + request.lifetime.count()};
  const auto saved = change(path, [&](access_registry& registry) {
    std::erase_if(registry.tokens, [&](const auto& token) {
      const std::chrono::milliseconds kept = expired_kept;
      return token.expires_at_ms + kept.count() <= now_ms;
    });
    if (registry.tokens.size() >= access_registry::tokens_max)
      return domain::status(failure::overloaded,
                            "the registry is full of tokens");
    registry.tokens.push_back(
      {issued.token_id, support::sha256_of(issued.token), request.granted,
       request.tenants, now_ms, issued.expires_at_ms, false});
    return register_tenants(registry, request.tenants);
  });
  if (!saved)
    return saved.why();
  return issued;
}

domain::status revoke_token(const std::string& path,
                            const std::string& token_id) {
  if (auto there = load_access(path); !there)
    return there.why();
  return change(path, [&](access_registry& registry) {
    for (auto& token : registry.tokens)
      if (token.token_id == token_id) {
        token.revoked = true;
        return domain::done();
      }
    return domain::status(failure::not_found, "no token has that id");
  });
}

domain::status set_tenant_state(const std::string& path,
                                const std::string& tenant,
                                domain::tenant_state state) {
  if (auto there = load_access(path); !there)
    return there.why();
  return change(path, [&](access_registry& registry) {
    const auto found = registry.tenants.find(tenant);
    if (found == registry.tenants.end())
      return domain::status(failure::unknown_tenant,
                            "the tenant is not registered");
    if (found->second == domain::tenant_state::erased && state != found->second)
      return domain::status(failure::tenant_erased,
                            "an erased tenant stays erased");
    found->second = state;
    return domain::done();
  });
}

std::vector<token_row> list_tokens(const access_registry& of,
                                   std::int64_t now_ms) {
  std::vector<token_row> rows;
  rows.reserve(of.tokens.size());
  for (const auto& token : of.tokens)
    rows.push_back({token.token_id,
                    std::string(domain::to_string(token.granted)),
                    joined(token.tenants), std::string(state_of(token, now_ms)),
                    token.issued_at_ms, token.expires_at_ms});
  return rows;
}

std::string show_tokens(const std::vector<token_row>& rows) {
  using columns = std::array<std::string, 6>;
  std::vector<columns> lines{
    {"ID", "ROLE", "STATE", "ISSUED", "EXPIRES", "TENANTS"}};
  for (const auto& row : rows)
    lines.push_back({row.token_id, row.role, row.state,
                     support::to_rfc3339(row.issued_at_ms),
                     support::to_rfc3339(row.expires_at_ms), row.tenants});
  std::array<std::size_t, 6> width{};
  for (const auto& line : lines)
    for (std::size_t i = 0; i < line.size(); ++i)
      width[i] = std::max(width[i], line[i].size());
  std::string text;
  for (auto& line : lines) {
    for (std::size_t i = 0; i + 1 < line.size(); ++i) {
      line[i].resize(width[i] + 2, ' ');
      text += line[i];
    }
    text += line.back() + "\n";
  }
  return text;
}

} // namespace parcelflow::app
