#include "app/access_control.hpp"

#include "app/access_file.hpp"
#include "support/digest.hpp"

namespace parcelflow::app {

namespace {

constexpr std::string_view token_prefix = "pft_";
constexpr std::size_t token_bytes = token_prefix.size() + 43; // 32 in base64url

} // namespace

access_control::access_control(std::string path)
  : path_(std::move(path)),
    registry_(std::make_shared<const domain::access_registry>()) {}

domain::status access_control::reload() {
  auto loaded = load_access(path_);
  if (!loaded && loaded.why().code != domain::failure::not_found)
    return loaded.why();
  auto fresh = std::make_shared<const domain::access_registry>(
    loaded ? std::move(*loaded) : domain::access_registry{});
  const std::lock_guard hold(mutex_);
  registry_ = std::move(fresh);
  return domain::done();
}

domain::outcome<domain::identity>
access_control::authenticate(std::string_view token,
                             std::int64_t now_ms) const {
  if (token.size() != token_bytes || !token.starts_with(token_prefix))
    return {domain::failure::unauthenticated,
            "a valid bearer token is required"};
  return registry()->authenticate(
    support::sha256_of(token), now_ms, [](const auto& a, const auto& b) {
      return support::equal_in_constant_time(a, b);
    });
}

domain::outcome<domain::identity>
access_control::identity_of(std::string_view token_id,
                            std::int64_t now_ms) const {
  return registry()->identity_of(token_id, now_ms);
}

domain::status access_control::check_tenant(std::string_view tenant) const {
  return registry()->check_tenant(tenant);
}

std::shared_ptr<const domain::access_registry>
access_control::registry() const {
  const std::lock_guard hold(mutex_);
  return registry_;
}

} // namespace parcelflow::app
