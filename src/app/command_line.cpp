#include "app/command_line.hpp"

#include "app/access_file.hpp"
#include "app/audit_command.hpp"
#include "app/config.hpp"
#include "app/daemon.hpp"
#include "app/doctor_command.hpp"
#include "app/evidence.hpp"
#include "app/exit_codes.hpp"
#include "support/clock.hpp"
#include "support/version.hpp"

#include <CLI/CLI.hpp>

#include <functional>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

namespace parcelflow::app {
namespace {

int refuse(const domain::fault& why) {
  std::cerr << "parcelflow: " << why.detail << "\n";
  return exit_code_of(why.code);
}

int answer(const domain::status& done) {
  return done ? exit_ok : refuse(done.why());
}

/// Flags that are settings: --section.key=value, or --section.key value.
std::vector<std::string> setting_flags(const std::vector<std::string>& rest) {
  std::vector<std::string> flags;
  for (const auto& one : rest)
    if (one.starts_with("--") || flags.empty()
        || flags.back().find('=') != std::string::npos)
      flags.push_back(one);
    else
      flags.back() += "=" + one;
  return flags;
}

int show_version() {
  const auto v = support::versions();
  std::cout << "parcelflow " << v.project << " (" << v.git_commit << ")\n"
            << "CAF " << v.caf << ", RocksDB " << v.rocksdb
            << ", nlohmann/json " << v.nlohmann_json << ", Boost " << v.boost
            << ", OpenSSL " << v.openssl << "\n";
  return exit_ok;
}

/// The commands, what they were given, and what each of them does.
class commands {
public:
  commands() {
    app_.add_flag("--version", version_, "version, commit and libraries");
    add_daemon();
    add_access();
    auto* evidence = app_.add_subcommand(
      "evidence", "of a tenant's orders, read from a closed data directory");
    evidence->add_option("--tenant", tenant_, "tenant")->required();
    evidence->add_option("--order", order_, "order id; all orders if absent");
    add(evidence, [this](const loaded_config& loaded) {
      return print_evidence(loaded, tenant_, order_);
    });
    add_audit();
    add_doctor();
  }

  int run(int argc, char** argv) {
    try {
      app_.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
      return app_.exit(error) == 0 ? exit_ok : exit_usage;
    }
    if (version_)
      return show_version();
    for (const auto& [command, act] : actions_) {
      if (!command->parsed())
        continue;
      auto flags = setting_flags(command->remaining());
      if (!directory_.empty())
        flags.push_back("--data.directory=" + directory_);
      const auto loaded =
        load_config({config_file_, parcelflow_environment(), flags});
      return loaded ? act(*loaded) : refuse(loaded.why());
    }
    std::cerr << app_.help();
    return exit_usage;
  }

private:
  using action = std::function<int(const loaded_config&)>;

  void add(CLI::App* command, action act) {
    command->add_option("--config", config_file_,
                        "profile file, e.g. config/dev.ini");
    command->allow_extras(); // settings: judged by the strict table
    command->footer("Settings: --section.key=value; docs/CONFIGURATION.md");
    actions_.emplace_back(command, std::move(act));
  }

  void add_daemon() {
    add(app_.add_subcommand("run", "run the daemon"),
        [](const loaded_config& loaded) {
          return run_daemon(loaded, support::versions());
        });
    add(app_.add_subcommand(
          "check", "configuration, directory and bus, without starting"),
        check_setup);
    auto* config = app_.add_subcommand("config", "the configuration");
    config->require_subcommand(1);
    add(config->add_subcommand("show", "every key, its value and origin"),
        [](const loaded_config& loaded) {
          std::cout << show_config(loaded);
          return exit_ok;
        });
  }

  void add_audit() {
    auto* audit = app_.add_subcommand(
      "audit", "the invariants of a closed data directory; exit 0 or 65");
    audit->add_option("--data-dir", directory_, "instead of data.directory");
    audit->add_flag("--json", audit_.json, "the report as JSON");
    audit->add_flag("--at-rest", audit_.at_rest,
                    "everything was drained: what is still under way for "
                    "longer than audit.grace_ms is a finding");
    add(audit, [this](const loaded_config& loaded) {
      return audit_directory(loaded, audit_);
    });
  }

  void add_doctor() {
    auto* doctor = app_.add_subcommand(
      "doctor", "what is wrong with a data directory, and what to do; exit 0 "
                "or 65");
    doctor->add_option("--data-dir", directory_, "instead of data.directory");
    doctor->add_option("--repair-to", doctor_.repair_to,
                       "a new directory for what is left, if nothing that was "
                       "acknowledged is missing");
    doctor->add_option(
      "--work-dir", doctor_.work_directory,
      "where the working copy lies; else beside the directory");
    doctor->add_flag("--json", doctor_.json, "the diagnosis as JSON");
    add(doctor, [this](const loaded_config& loaded) {
      return examine_directory(loaded, doctor_);
    });
  }

  void add_access() {
    auto* token = app_.add_subcommand("token", "access tokens");
    token->require_subcommand(1);
    auto* issue = token->add_subcommand("issue", "issue one, printed once");
    issue->add_option("--tenant", tenant_, "T[,T…] or *")->required();
    issue->add_option("--role", role_, "operator, responder or admin");
    issue->add_option("--expires", expires_, "e.g. 12h, 30d");
    add(issue, [this](const auto& loaded) { return issue_one(loaded); });
    add(token->add_subcommand("list", "all of them, without their secret"),
        [](const auto& loaded) { return list(loaded); });
    auto* revoke = token->add_subcommand("revoke", "end one");
    revoke->add_option("token_id", token_id_, "see `token list`")->required();
    add(revoke, [this](const loaded_config& loaded) {
      return answer(revoke_token(loaded.values.auth.tokens_file, token_id_));
    });
    auto* tenant = app_.add_subcommand("tenant", "tenants");
    tenant->require_subcommand(1);
    add_tenant_state(tenant, "suspend", domain::tenant_state::suspended);
    add_tenant_state(tenant, "activate", domain::tenant_state::active);
  }

  void add_tenant_state(CLI::App* tenant, const std::string& verb,
                        domain::tenant_state to) {
    auto* command = tenant->add_subcommand(verb, verb + " a tenant");
    command->add_option("tenant", tenant_, "tenant")->required();
    add(command, [this, to](const loaded_config& loaded) {
      return answer(
        set_tenant_state(loaded.values.auth.tokens_file, tenant_, to));
    });
  }

  int issue_one(const loaded_config& loaded) const {
    const auto request = parse_token_request(tenant_, role_, expires_);
    if (!request)
      return refuse(request.why());
    const auto issued = issue_token(loaded.values.auth.tokens_file, *request,
                                    support::system_clock().now());
    if (!issued)
      return refuse(issued.why());
    std::cout << issued->token << "\n";
    std::cerr << "token " << issued->token_id << " expires "
              << support::to_rfc3339(issued->expires_at_ms)
              << "; shown this once. A running daemon reads it on SIGHUP.\n";
    return exit_ok;
  }

  static int list(const loaded_config& loaded) {
    const auto registry = load_access(loaded.values.auth.tokens_file);
    if (!registry)
      return refuse(registry.why());
    std::cout << show_tokens(
      list_tokens(*registry, support::system_clock().now()));
    return exit_ok;
  }

  CLI::App app_{"ParcelFlow: a durable order-to-effect runtime"};
  std::vector<std::pair<CLI::App*, action>> actions_;
  bool version_ = false;
  std::string config_file_;
  std::string tenant_;
  std::string role_ = "operator";
  std::string expires_ = "90d";
  std::string token_id_;
  std::string order_;
  std::string directory_;
  audit_wish audit_;
  doctor_wish doctor_;
};

} // namespace

int run_command_line(int argc, char** argv) {
  return commands().run(argc, argv);
}

} // namespace parcelflow::app
