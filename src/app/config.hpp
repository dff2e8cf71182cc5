// The configuration as the program uses it: one plain struct whose members are
// named as the keys (`http.port` is `config.http.port`). What a key means, its
// default and its bounds stand in one table, settings_table.cpp.
//
// `load_config` fills it: defaults, then the file, then PARCELFLOW_SECTION_KEY
// of the environment, then --section.key=value flags; the later wins. It is
// strict: an unknown key, a wrong type, a value out of range or settings that
// contradict each other are `config_invalid`, with the place and what is
// allowed.
//
// Owner: main, which hands out parts by value. Thread rule: plain values.
#pragma once

#include "domain/failure.hpp"
#include "support/log.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace parcelflow::app {

enum class committer_kind : std::uint8_t { shared, per_owner };
enum class later_start : std::uint8_t { off, from_history, from_now };
enum class adapter_kind : std::uint8_t { log, memory };
enum class durability : std::uint8_t { memory, page_cache, fsync };

/// Version of `OrderAccepted` that a tenant's orders are announced with.
struct tenant_version {
  std::string tenant;
  std::uint32_t version = 0;
  friend bool operator==(const tenant_version&,
                         const tenant_version&) = default;
};

/// One (type, version) more that a consumer takes.
struct supported_event {
  std::string consumer;
  std::string type;
  std::uint32_t version = 0;
  friend bool operator==(const supported_event&,
                         const supported_event&) = default;
};

/// A consumer whose effects fail for one tenant.
struct effect_fault {
  std::string tenant;
  std::string consumer;
  friend bool operator==(const effect_fault&, const effect_fault&) = default;
};

struct component_level {
  std::string component;
  support::log::level level = support::log::level::info;
  friend bool operator==(const component_level&,
                         const component_level&) = default;
};

struct config {
  using milliseconds = std::chrono::milliseconds;
  using hours = std::chrono::hours;

  struct {
    std::string name;
    bool production = false;
  } profile;
  struct {
    std::string directory;
  } data;
  struct {
    std::string address;
    std::uint16_t port = 0;
    std::size_t connections_max = 0;
    std::size_t body_bytes_max = 0;
    std::size_t header_bytes_max = 0;
    std::size_t headers_max = 0;
    std::size_t pipeline_max = 0;
    std::size_t export_letters_max = 0;
    milliseconds header_timeout_ms{};
    milliseconds body_timeout_ms{};
    milliseconds idle_timeout_ms{};
    std::string certificate_file;
    std::string key_file;
    std::vector<std::string> hosts;
  } http;
  struct {
    bool enabled = false;
    std::string address;
    std::uint16_t port = 0;
    std::size_t connections_max = 0;
    std::size_t line_bytes_max = 0;
    milliseconds idle_timeout_ms{};
    std::uint32_t login_attempts_max = 0;
    milliseconds login_delay_ms{};
    milliseconds answer_timeout_ms{};
  } console;
  struct {
    std::size_t inflight_orders_max = 0;
    milliseconds accept_deadline_ms{};
    std::size_t lines_max = 0;
    std::int64_t quantity_max = 0;
    std::vector<tenant_version> accepted_version;
  } order;
  struct {
    milliseconds reservation_deadline_ms{};
    milliseconds resolve_retry_ms{};
  } inventory;
  struct {
    milliseconds deadline_ms{};
  } payment;
  struct {
    committer_kind committer = committer_kind::shared;
    std::size_t batch_rows_max = 0;
    std::size_t batch_bytes_max = 0;
    std::size_t write_buffer_bytes = 0;
    std::uint64_t wal_bytes_max = 0;
    std::uint64_t free_space_min_bytes = 0;
    milliseconds free_space_check_ms{};
    bool sync = true;
    milliseconds mark_sync_ms{};
  } storage;
  struct {
    std::size_t batch_events_max = 0;
    std::size_t publish_window = 0;
    std::size_t hint_bytes_max = 0;
    milliseconds publish_deadline_ms{};
    std::uint32_t publish_attempts_max = 0;
    std::size_t held_streams_max = 0;
    milliseconds retry_min_ms{};
    milliseconds retry_max_ms{};
    milliseconds poll_max_ms{};
  } relay;
  struct {
    adapter_kind adapter = adapter_kind::log;
    durability minimum_durability = durability::fsync;
    std::size_t payload_max_bytes = 0;
    std::size_t log_cache_bytes_max = 0;
    hours log_retention_hours{};
    std::uint32_t fault_duplicate = 0;
    std::uint32_t fault_drop = 0;
    std::uint32_t fault_reorder = 0;
    std::uint32_t fault_delay = 0;
    std::uint32_t fault_fail = 0;
    std::uint32_t fault_fork = 0;
    std::uint32_t fault_garble = 0;
  } bus;
  struct {
    std::size_t in_flight_max = 0;
    std::uint32_t attempts_max = 0;
    milliseconds retry_min_ms{};
    milliseconds retry_max_ms{};
    std::uint32_t retry_jitter_percent = 0;
    milliseconds gap_grace_ms{};
    milliseconds resend_retry_max_ms{};
    std::size_t inbox_inline_max = 0;
    std::vector<supported_event> supported;
    std::vector<effect_fault> fault_fail;
  } consumer;
  struct {
    std::size_t window = 0;
    std::size_t replays_max = 0;
    std::size_t plan_items_max = 0;
    std::size_t plans_max = 0;
    milliseconds plan_life_ms{};
  } replay;
  struct {
    later_start start = later_start::off;
    std::uint32_t rate_per_s = 0;
  } audit_feed;
  struct {
    hours replay_window_hours{};
    hours inbox_hours{};
  } retention;
  struct {
    milliseconds interval_ms{};
    milliseconds grace_ms{};
    std::size_t findings_max = 0;
  } audit;
  struct {
    bool require_clean_audit = false;
  } ready;
  struct {
    milliseconds deadline_ms{};
  } shutdown;
  struct {
    support::log::level level = support::log::level::info;
    std::vector<component_level> components;
  } log;
  struct {
    std::string crash_point;
    std::uint32_t crash_countdown = 0;
  } fault;
  struct {
    std::string tokens_file;
  } auth;
};

/// Where values come from besides the defaults.
struct config_sources {
  std::string file; ///< empty: none
  std::vector<std::pair<std::string, std::string>> environment;
  std::vector<std::string> flags; ///< each "--section.key=value"
};

/// Who said so, if nobody did.
inline constexpr std::string_view default_origin = "default";

/// A key with its value as text, and who said so: "default", "prod.ini:12",
/// "PARCELFLOW_HTTP_PORT", "--http.port".
struct config_row {
  std::string key;
  std::string value;
  std::string origin;
};

struct loaded_config {
  config values;
  std::vector<config_row> rows; ///< every key, in the order of the table
};

[[nodiscard]] domain::outcome<loaded_config>
load_config(const config_sources& sources);

/// The variables of this process that begin with PARCELFLOW_.
[[nodiscard]] std::vector<std::pair<std::string, std::string>>
parcelflow_environment();

/// What `config show` prints: `section.key  value  origin`, in columns;
/// beside a value that somebody set, the default.
[[nodiscard]] std::string show_config(const loaded_config& loaded);

/// Every key as a row of a Markdown table: key, type, default, allowed values,
/// environment variable, explanation.
[[nodiscard]] std::string config_reference();

} // namespace parcelflow::app
