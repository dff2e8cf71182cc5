// Somebody at the console of a running daemon, over its real port.
// Owner: the test. Thread rule: one thread. Errors: empty answers.
#pragma once

#include "tests/http/raw_client.hpp"
#include "tests/support/process.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace parcelflow::test {

class console_user {
public:
  explicit console_user(std::uint16_t port)
    : client_(port), greeting_(next_answer()) {}
  console_user(const daemon_process& of, const std::string& token)
    : console_user(of.console_port()) {
    login_ = ask("auth " + token);
  }

  [[nodiscard]] const std::string& greeting() const { return greeting_; }
  [[nodiscard]] const std::string& login() const { return login_; }

  /// The answer to a line, without its last one.
  std::string ask(const std::string& line) {
    return client_.send(line + "\n") ? next_answer() : std::string();
  }
  nlohmann::json json(const std::string& line) {
    client_.send(line + " --json\n");
    return nlohmann::json::parse(client_.take_until("\n"), nullptr, false);
  }
  std::string next_answer() {
    auto text = client_.take_until("\n.\n");
    return text.empty() ? text : text.substr(0, text.size() - 2);
  }
  raw_client& wire() { return client_; }

private:
  raw_client client_;
  std::string greeting_;
  std::string login_;
};

} // namespace parcelflow::test
