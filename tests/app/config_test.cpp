#include "app/config.hpp"
#include "app/settings_table.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

namespace parcelflow::app {

namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

// A configuration file that lives as long as the test.
class ini {
public:
  explicit ini(const std::string& text) {
    static int count = 0;
    path_ = std::filesystem::temp_directory_path()
            / ("config_test_" + std::to_string(::getpid()) + "_"
               + std::to_string(++count) + ".ini");
    std::ofstream(path_) << text;
  }
  ~ini() { std::filesystem::remove(path_); }
  std::string path() const { return path_.string(); }

private:
  std::filesystem::path path_;
};

loaded_config loaded(const config_sources& sources) {
  auto result = load_config(sources);
  REQUIRE_MESSAGE(result.ok(), result.why().detail);
  return *result;
}

std::string refusal(const config_sources& sources) {
  const auto result = load_config(sources);
  REQUIRE_FALSE(result.ok());
  CHECK(result.why().code == domain::failure::config_invalid);
  return result.why().detail;
}

std::string flag_refusal(const std::string& flag) {
  return refusal({"", {}, {flag}});
}

config_row row(const loaded_config& from, std::string_view key) {
  const auto found = std::ranges::find(from.rows, key, &config_row::key);
  REQUIRE(found != from.rows.end());
  return *found;
}

bool holds(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

std::string source_directory() {
  const char* given = std::getenv("PARCELFLOW_SOURCE_DIR");
  return given != nullptr ? given : ".";
}

} // namespace

TEST_CASE("without a word from anyone every key has its documented default") {
  const auto [values, rows] = loaded({});
  CHECK(values.profile.name == "dev");
  CHECK_FALSE(values.profile.production);
  CHECK(values.http.address == "127.0.0.1");
  CHECK(values.http.port == 8080);
  CHECK(values.http.body_bytes_max == 256 * 1024);
  CHECK(values.http.idle_timeout_ms == milliseconds(60000));
  CHECK(values.http.hosts.empty());
  CHECK(values.order.inflight_orders_max == 4096);
  CHECK(values.storage.committer == committer_kind::shared);
  CHECK(values.storage.wal_bytes_max == 512ULL * 1024 * 1024);
  CHECK(values.storage.sync);
  CHECK(values.bus.adapter == adapter_kind::log);
  CHECK(values.bus.minimum_durability == durability::fsync);
  CHECK(values.bus.log_retention_hours == hours(168));
  CHECK(values.retention.inbox_hours == hours(336));
  CHECK(values.consumer.retry_jitter_percent == 20);
  CHECK(values.log.level == support::log::level::info);
  CHECK(values.fault.crash_point.empty());
  CHECK(values.auth.tokens_file == "./data/access.json");
  CHECK(rows.size() == settings().size());
}

TEST_CASE("the table names each key once, with an explanation and a default") {
  std::set<std::string> keys;
  std::set<std::string> variables;
  for (const auto& known : settings()) {
    CAPTURE(known.key);
    CHECK(keys.emplace(known.key).second);
    CHECK(variables.insert(variable_of(known)).second);
    CHECK(known.explanation.ends_with("."));
    const auto value = read_value(known, known.initial);
    REQUIRE(value.has_value());
    CHECK(print_value(known, *value) == known.initial);
    if (known.type == setting_type::duration)
      CHECK((known.key.ends_with("_ms") || known.key.ends_with("_hours")));
    if (known.type == setting_type::list)
      CHECK(known.rule != nullptr);
  }
}

TEST_CASE("flags win over variables, variables over the file, and it is told") {
  const ini file("[http]\nport = 1000\nheaders_max = 10\npipeline_max = 2\n");
  const auto result = loaded({file.path(),
                              {{"PARCELFLOW_HTTP_PORT", "2000"},
                               {"PARCELFLOW_HTTP_HEADERS_MAX", "20"},
                               {"PARCELFLOW_BIN", "/somewhere"},
                               {"HOME", "/root"}},
                              {"--http.port=3000"}});
  CHECK(result.values.http.port == 3000);
  CHECK(result.values.http.headers_max == 20);
  CHECK(result.values.http.pipeline_max == 2);
  CHECK(row(result, "http.port").origin == "--http.port");
  CHECK(row(result, "http.headers_max").origin
        == "PARCELFLOW_HTTP_HEADERS_MAX");
  CHECK(row(result, "http.pipeline_max").origin == file.path() + ":4");
  CHECK(row(result, "http.address").origin == "default");
}

TEST_CASE("every type is read into its member") {
  const ini file("[http]\n"
                 "hosts = example.org, localhost:8080 , [::1]:8080\n"
                 "idle_timeout_ms = 2m\n"
                 "body_bytes_max = 1MiB\n"
                 "[order]\n"
                 "accepted_version = acme:2, globex:1\n"
                 "[storage]\n"
                 "committer = per_owner\n"
                 "[bus]\n"
                 "log_retention_hours = 2d\n"
                 "[consumer]\n"
                 "supported = fulfillment-v1:OrderAccepted:2\n"
                 "[log]\n"
                 "level = debug\n"
                 "components = relay:trace, http:off\n"
                 "[data]\n"
                 "directory = \"/srv/a b\"\n");
  const auto values = loaded({file.path(), {}, {}}).values;
  CHECK(
    values.http.hosts
    == std::vector<std::string>{"example.org", "localhost:8080", "[::1]:8080"});
  CHECK(values.http.idle_timeout_ms == milliseconds(120'000));
  CHECK(values.http.body_bytes_max == 1024 * 1024);
  CHECK(values.order.accepted_version
        == std::vector<tenant_version>{{"acme", 2}, {"globex", 1}});
  CHECK(values.storage.committer == committer_kind::per_owner);
  CHECK(values.bus.log_retention_hours == hours(48));
  CHECK(
    values.consumer.supported
    == std::vector<supported_event>{{"fulfillment-v1", "OrderAccepted", 2}});
  CHECK(values.log.level == support::log::level::debug);
  CHECK(values.log.components
        == std::vector<component_level>{{"relay", support::log::level::trace},
                                        {"http", support::log::level::off}});
  CHECK(values.auth.tokens_file == "/srv/a b/access.json");
}

TEST_CASE("an unknown key names its place and the nearest known one") {
  const ini file("[http]\n\nprot = 1\n");
  CHECK(refusal({file.path(), {}, {}})
        == file.path()
             + ":3: unknown setting \"http.prot\"; did you mean "
               "http.port?");
  CHECK(refusal({"", {{"PARCELFLOW_HTTP_PROT", "1"}}, {}})
        == "PARCELFLOW_HTTP_PROT: unknown variable; did you mean "
           "PARCELFLOW_HTTP_PORT?");
  CHECK(flag_refusal("--relay.poll_max=1")
        == "\"--relay.poll_max\": unknown setting; did you mean "
           "--relay.poll_max_ms?");
  CHECK(holds(flag_refusal("--zzzzzzzz.qqqqqqqqqq=1"), "`config show`"));
}

TEST_CASE("a value of the wrong type or size says what is allowed") {
  const ini file("[http]\nport = 70000\n");
  CHECK(refusal({file.path(), {}, {}})
        == file.path()
             + ":2: http.port = \"70000\" must be a whole number, "
               "0 to 65535");
  CHECK(refusal({"", {{"PARCELFLOW_STORAGE_SYNC", "yes"}}, {}})
        == "PARCELFLOW_STORAGE_SYNC: storage.sync = \"yes\" must be true or "
           "false");
  CHECK(holds(flag_refusal("--bus.adapter=kafka"), "one of log, memory"));
  CHECK(holds(flag_refusal("--http.body_bytes_max=1KB"), "1KiB to 16MiB"));
  CHECK(holds(flag_refusal("--retention.inbox_hours=90m"), "hours"));
  CHECK(holds(flag_refusal("--payment.deadline_ms=1"), "10 to 600000 ms"));
  for (const auto* flag :
       {"--http.port=", "--http.port=-1", "--http.port=80 ",
        "--payment.deadline_ms=99999999999999999999", "--data.directory=",
        "--data.directory=a\nb", "--order.accepted_version=acme",
        "--order.accepted_version=ACME:1", "--order.accepted_version=acme:0",
        "--order.accepted_version=acme:1,", "--order.accepted_version=a:1,a:1",
        "--log.components=relay:loud", "--consumer.supported=a:b",
        "--consumer.fault_fail=tn-a", "--consumer.fault_fail=TN:a",
        "--http.hosts=a/b", "--fault.crash_point=a b", "--log.level=INFO"})
    CHECK_MESSAGE(holds(flag_refusal(flag), "must be"), flag);
}

TEST_CASE("a shell that is set up for parcelctl starts the daemon too") {
  CHECK(load_config({"",
                     {{"PARCELFLOW_CONSOLE_PORT", "9001"},
                      {"PARCELFLOW_TENANT", "tn-a"},
                      {"PARCELFLOW_TOKEN", "pft_x"},
                      {"PARCELFLOW_TOKEN_FILE", "x"}},
                     {}})
          .ok());
  CHECK(holds(refusal({"", {{"PARCELFLOW_TENANTS", "tn-a"}}, {}}),
              "unknown variable"));
}

TEST_CASE("a flag has a value and is given once") {
  CHECK(holds(flag_refusal("--http.port"), "--section.key=value"));
  CHECK(holds(flag_refusal("http.port=1"), "--section.key=value"));
  CHECK(refusal({"", {}, {"--http.port=1", "--http.port=2"}})
        == "--http.port: given twice");
}

TEST_CASE("a file that is missing or does not parse is refused as such") {
  CHECK(holds(refusal({"/nonexistent/x.ini", {}, {}}), "No such file"));
  const ini file("port = 1\n");
  CHECK(holds(refusal({file.path(), {}, {}}), ":1: `port` stands outside"));
}

TEST_CASE("what is only fit for tests is refused in production") {
  for (const auto* flag :
       {"--storage.sync=false", "--bus.adapter=memory",
        "--bus.fault_duplicate=1", "--bus.fault_drop=1",
        "--bus.fault_reorder=1", "--bus.fault_delay=1", "--bus.fault_fail=1",
        "--bus.fault_fork=1", "--bus.fault_garble=1",
        "--consumer.fault_fail=tn-a:fulfillment-v1",
        "--fault.crash_point=order.after_commit"}) {
    CAPTURE(flag);
    CHECK(load_config({"", {}, {flag}}).ok());
    const auto why = refusal({"", {}, {"--profile.production=true", flag}});
    CHECK(holds(why, "(--profile.production)"));
    CHECK(holds(why, "only fit for tests"));
  }
}

TEST_CASE("production has a name of its own and waits for the disk") {
  const auto refused = [](const std::string& flag) {
    return refusal({source_directory() + "/config/prod.ini", {}, {flag}});
  };
  CHECK(holds(refused("--profile.name=dev"), "profile.name = \"dev\""));
  CHECK(holds(refused("--bus.minimum_durability=page_cache"),
              "bus.minimum_durability = \"page_cache\""));
}

TEST_CASE("settings that contradict each other name both places") {
  const ini file("[retention]\nreplay_window_hours = 336\n");
  const auto why = refusal({file.path(), {}, {}});
  CHECK(holds(why, "retention.inbox_hours = \"336\" (default)"));
  CHECK(holds(why, "(" + file.path() + ":2)"));
  CHECK(load_config({file.path(), {}, {"--retention.inbox_hours=337"}}).ok());

  const std::vector<std::vector<std::string>> clashes{
    {"--http.certificate_file=a.pem"},
    {"--http.key_file=a.pem"},
    {"--http.address=0.0.0.0"},
    {"--http.address=::"},
    {"--http.address=localhost"},
    {"--payment.deadline_ms=6s"},
    {"--inventory.reservation_deadline_ms=5s"},
    {"--bus.payload_max_bytes=16MiB"},
    {"--storage.batch_bytes_max=1GiB"},
    {"--storage.write_buffer_bytes=1GiB"},
    {"--relay.retry_min_ms=31s"},
    {"--consumer.fault_fail=tn-a:shipping-v1"},
    {"--consumer.retry_min_ms=61s"},
    {"--consumer.retry_max_ms=24h", "--consumer.attempts_max=7"},
  };
  for (const auto& flags : clashes)
    CHECK_MESSAGE(holds(refusal({"", {}, flags}), "(--"), flags[0]);

  CHECK(load_config({"",
                     {},
                     {"--http.address=0.0.0.0", "--http.certificate_file=a",
                      "--http.key_file=b"}})
          .ok());
  CHECK(load_config({"", {}, {"--http.address=::1"}}).ok());
  CHECK(load_config({"", {}, {"--http.address=127.8.9.1"}}).ok());
}

TEST_CASE("every shipped profile loads and is what it says") {
  const auto profile = [](const std::string& name) {
    auto values =
      loaded({source_directory() + "/config/" + name + ".ini", {}, {}}).values;
    CHECK(values.profile.name == name);
    return values;
  };
  CHECK_FALSE(profile("dev").profile.production);
  CHECK(profile("prod").profile.production);
  CHECK(profile("test").bus.adapter == adapter_kind::memory);
  const auto lab = profile("crash-lab");
  CHECK(lab.bus.fault_duplicate == 1);
  CHECK(lab.fault.crash_point == "order.after_commit");
}

TEST_CASE("show prints every key with value and origin, one a line") {
  const auto text = show_config(loaded({"", {}, {"--http.port=9"}}));
  CHECK(std::ranges::count(text, '\n')
        == static_cast<std::ptrdiff_t>(settings().size()));
  CHECK(holds(text, "--http.port  default 8080\n"));
  CHECK(holds(text, "./data/access.json  default, from data.directory\n"));
  for (const auto& known : settings())
    CHECK(holds(text, known.key));
}

TEST_CASE("the reference page holds the table as it is") {
  std::ifstream page(source_directory() + "/docs/CONFIGURATION.md");
  const std::string text{std::istreambuf_iterator<char>(page), {}};
  const auto reference = config_reference();
  for (const auto& known : settings())
    CHECK(holds(reference, "| `" + variable_of(known) + "` |"));
  CHECK_MESSAGE(text.ends_with("\n\n" + reference), reference);
}

TEST_CASE("the process's own variables are found by their prefix") {
  ::setenv("PARCELFLOW_HTTP_PORT", "1=2", 1);
  const auto found = parcelflow_environment();
  ::unsetenv("PARCELFLOW_HTTP_PORT");
  CHECK(std::ranges::count(found, std::pair<std::string, std::string>(
                                    "PARCELFLOW_HTTP_PORT", "1=2"))
        == 1);
  for (const auto& [name, value] : found)
    CHECK(name.starts_with("PARCELFLOW_"));
}

} // namespace parcelflow::app
