#include "app/setup.hpp"

#include "app/access_file.hpp"
#include "app/wiring_limits.hpp"
#include "support/fault_point.hpp"

#include <algorithm>
#include <filesystem>

namespace parcelflow::app {

using domain::failure;

namespace {

domain::status judge_crash_point(const config& settings) {
  const auto& point = settings.fault.crash_point;
  const auto& known = support::fault_point_names();
  if (point.empty()
      || std::find(known.begin(), known.end(), point) != known.end())
    return domain::done();
  std::string names;
  for (const auto& name : known)
    names.append(names.empty() ? "" : ", ").append(name);
  return {failure::config_invalid, "fault.crash_point: no point \"" + point
                                     + "\" in this build; allowed: " + names};
}

domain::status judge_tokens(const config& settings) {
  if (settings.profile.production) {
    const auto path = dev_token_path(settings);
    std::error_code unseen; // then nobody can read a token there either
    if (std::filesystem::exists(path, unseen))
      return {failure::config_invalid,
              "profile.production is true, but " + path
                + " holds a developer's token: delete that file and revoke "
                  "the token (parcelflow token list, parcelflow token revoke "
                  "ID)"};
  }
  if (!gives_first_token(settings))
    return domain::done();
  const auto tokens = load_access(settings.auth.tokens_file);
  if (!tokens && tokens.why().code != failure::not_found)
    return tokens.why();
  return domain::done();
}

} // namespace

http::server_options door_options_of(const config& settings) {
  http::server_options to;
  const auto& from = settings.http;
  to.address = from.address;
  to.port = from.port;
  to.connections_max = from.connections_max;
  to.body_bytes_max = from.body_bytes_max;
  to.header_bytes_max = from.header_bytes_max;
  to.headers_max = from.headers_max;
  to.pipeline_max = from.pipeline_max;
  to.header_timeout = from.header_timeout_ms;
  to.body_timeout = from.body_timeout_ms;
  to.idle_timeout = from.idle_timeout_ms;
  to.certificate_file = from.certificate_file;
  to.key_file = from.key_file;
  to.hosts = from.hosts;
  return to;
}

bool gives_first_token(const config& settings) {
  return settings.profile.name == "dev" && !settings.profile.production;
}

std::string dev_token_path(const config& settings) {
  return settings.data.directory + "/dev.token";
}

domain::status judge_setup(const config& settings) {
  if (auto known = judge_crash_point(settings); !known)
    return known;
  if (auto usable = http::server::check(door_options_of(settings)); !usable)
    return usable;
  if (auto allowed = bus::check_bus(bus_options_of(settings)); !allowed)
    return allowed;
  return judge_tokens(settings);
}

} // namespace parcelflow::app
