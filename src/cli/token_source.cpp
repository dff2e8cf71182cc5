#include "cli/token_source.hpp"

#include <cstdlib>
#include <fstream>

namespace parcelflow::cli {

using domain::failure;

namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

/// One word: with a line's end or a quote in it, it would be a command.
bool is_token(const std::string& text) {
  return !text.empty()
         && text.find_first_not_of(
              "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
              "_-")
              == std::string::npos;
}

} // namespace

domain::outcome<std::string> find_token(const std::string& file) {
  const auto path = file.empty() ? variable("PARCELFLOW_TOKEN_FILE") : file;
  std::string token = variable("PARCELFLOW_TOKEN");
  if (!path.empty()) {
    std::ifstream in(path);
    token.clear();
    if (!std::getline(in, token))
      return {failure::not_found, "no token can be read from " + path};
  }
  if (!token.empty() && token.back() == '\r')
    token.pop_back();
  if (token.empty())
    return {failure::unauthenticated,
            "no token: name a file with --token-file or "
            "PARCELFLOW_TOKEN_FILE, or set PARCELFLOW_TOKEN"};
  if (!is_token(token))
    return {failure::unauthenticated, path.empty()
                                        ? "PARCELFLOW_TOKEN holds no token"
                                        : path + " holds no token"};
  return token;
}

} // namespace parcelflow::cli
