#include "app/command_line.hpp"

#include "app/access_file.hpp"
#include "app/config.hpp"
#include "app/daemon.hpp"
#include "app/evidence.hpp"
#include "app/exit_codes.hpp"
#include "support/clock.hpp"
#include "support/version.hpp"

#include <CLI/CLI.hpp>

#include <iostream>
#include <string>
#include <vector>

namespace parcelflow::app {
namespace {

int refuse(const domain::fault& why) {
  std::cerr << "parcelflow: " << why.detail << "\n";
  return exit_code_of(why.code);
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

struct command_line {
  std::string config_file;
  std::string tenants;
  std::string role = "operator";
  std::string expires = "90d";
  std::string token_id;
  std::string order_id;
};

domain::outcome<loaded_config> load(const command_line& given,
                                    const CLI::App& command) {
  return load_config({given.config_file, parcelflow_environment(),
                      setting_flags(command.remaining())});
}

void add_config(CLI::App& command, command_line& given) {
  command.add_option("--config", given.config_file,
                     "profile file, e.g. config/dev.ini");
  command.allow_extras(); // --section.key=value: judged by the strict table
  command.footer("Settings: --section.key=value; see docs/CONFIGURATION.md");
}

int issue(const command_line& given, const loaded_config& loaded) {
  const auto request =
    parse_token_request(given.tenants, given.role, given.expires);
  if (!request)
    return refuse(request.why());
  const auto issued = issue_token(loaded.values.auth.tokens_file, *request,
                                  support::system_clock().now());
  if (!issued)
    return refuse(issued.why());
  std::cout << issued->token << "\n";
  std::cerr
    << "token " << issued->token_id << " expires "
    << support::to_rfc3339(issued->expires_at_ms)
    << "; it is shown this once. A running daemon reads it on SIGHUP.\n";
  return exit_ok;
}

int list(const loaded_config& loaded) {
  const auto registry = load_access(loaded.values.auth.tokens_file);
  if (!registry)
    return refuse(registry.why());
  std::cout << show_tokens(
    list_tokens(*registry, support::system_clock().now()));
  return exit_ok;
}

int revoke(const command_line& given, const loaded_config& loaded) {
  const auto done =
    revoke_token(loaded.values.auth.tokens_file, given.token_id);
  return done ? exit_ok : refuse(done.why());
}

void show_version() {
  const auto v = support::versions();
  std::cout << "parcelflow " << v.project << " (" << v.git_commit << ")\n"
            << "CAF " << v.caf << ", RocksDB " << v.rocksdb
            << ", nlohmann/json " << v.nlohmann_json << ", Boost " << v.boost
            << ", OpenSSL " << v.openssl << "\n";
}

} // namespace

int run_command_line(int argc, char** argv) {
  CLI::App app{"ParcelFlow: a durable order-to-effect runtime"};
  command_line given;
  bool version = false;
  app.add_flag("--version", version, "version, commit and libraries");
  auto* run = app.add_subcommand("run", "run the daemon");
  auto* check = app.add_subcommand(
    "check", "configuration, directory and bus, without starting");
  auto* config = app.add_subcommand("config", "the configuration");
  auto* show = config->add_subcommand("show", "every key, value and origin");
  config->require_subcommand(1);
  auto* token = app.add_subcommand("token", "access tokens");
  auto* token_issue = token->add_subcommand("issue", "issue and print once");
  auto* token_list = token->add_subcommand("list", "without the tokens");
  auto* token_revoke = token->add_subcommand("revoke", "end a token");
  token->require_subcommand(1);
  auto* evidence = app.add_subcommand(
    "evidence", "of one order, read from a closed data directory");
  for (auto* one :
       {run, check, show, token_issue, token_list, token_revoke, evidence})
    add_config(*one, given);
  token_issue->add_option("--tenant", given.tenants, "T[,T…] or *")->required();
  token_issue->add_option("--role", given.role, "operator, responder, admin");
  token_issue->add_option("--expires", given.expires, "e.g. 12h, 30d");
  token_revoke->add_option("token_id", given.token_id, "see `token list`")
    ->required();
  evidence->add_option("--tenant", given.tenants, "tenant")->required();
  evidence->add_option("--order", given.order_id, "order id; all if absent");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? exit_ok : exit_usage;
  }
  if (version) {
    show_version();
    return exit_ok;
  }
  for (auto* one :
       {run, check, show, token_issue, token_list, token_revoke, evidence}) {
    if (!one->parsed())
      continue;
    const auto loaded = load(given, *one);
    if (!loaded)
      return refuse(loaded.why());
    if (one == run)
      return run_daemon(*loaded, support::versions());
    if (one == check)
      return check_setup(*loaded);
    if (one == show) {
      std::cout << show_config(*loaded);
      return exit_ok;
    }
    if (one == token_issue)
      return issue(given, *loaded);
    if (one == token_list)
      return list(*loaded);
    if (one == token_revoke)
      return revoke(given, *loaded);
    return print_evidence(*loaded, given.tenants, given.order_id);
  }
  std::cerr << app.help();
  return exit_usage;
}

} // namespace parcelflow::app
