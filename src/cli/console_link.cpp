#include "cli/console_link.hpp"

#include "codec/json_tree.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <utility>

namespace parcelflow::cli {

using domain::failure;

namespace {

constexpr std::string_view error_word = "error ";
constexpr int no_limit = -1;

domain::fault refused(const console_answer& answer) {
  for (auto i = 1; i <= static_cast<int>(failure::internal); ++i)
    if (domain::to_string(static_cast<failure>(i)) == answer.failure)
      return {static_cast<failure>(i), answer.text};
  return {failure::internal, answer.text};
}

bool is_loopback(const addrinfo& at) {
  if (at.ai_family == AF_INET)
    return (ntohl(
              reinterpret_cast<const sockaddr_in*>(at.ai_addr)->sin_addr.s_addr)
            >> 24)
           == 127;
  return at.ai_family == AF_INET6
         && IN6_IS_ADDR_LOOPBACK(
           &reinterpret_cast<const sockaddr_in6*>(at.ai_addr)->sin6_addr);
}

int connected_to(const addrinfo& at) {
  const int made =
    ::socket(at.ai_family, at.ai_socktype | SOCK_CLOEXEC, at.ai_protocol);
  if (made < 0 || ::connect(made, at.ai_addr, at.ai_addrlen) == 0)
    return made;
  ::close(made);
  return -1;
}

/// The console has no TLS: a token never leaves this machine.
domain::outcome<int> connect_to(const std::string& host, std::uint16_t port) {
  const auto where = host + ":" + std::to_string(port);
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found)
      != 0)
    return {failure::bus_unreachable, "there is no host " + host};
  bool foreign = false;
  int made = -1;
  for (const auto* at = found; at != nullptr && made < 0; at = at->ai_next)
    if (is_loopback(*at))
      made = connected_to(*at);
    else
      foreign = true;
  freeaddrinfo(found);
  if (made >= 0)
    return made;
  if (foreign)
    return {failure::invalid_request,
            host
              + " is not this machine, and the console has no TLS: make a "
                "tunnel, such as ssh -L 8081:127.0.0.1:8081"};
  return {failure::bus_unreachable, "no console at " + where};
}

} // namespace

std::string failure_in(std::string_view answer) {
  if (answer.starts_with(R"({"error":)")) {
    const auto tree = codec::parse_tree(answer);
    return tree ? tree->at("error.failure").value : std::string();
  }
  if (!answer.starts_with(error_word))
    return {};
  answer.remove_prefix(error_word.size());
  return std::string(answer.substr(0, answer.find(':')));
}

domain::outcome<std::unique_ptr<console_link>>
console_link::open(const std::string& host, std::uint16_t port) {
  const auto where = host + ":" + std::to_string(port);
  const auto socket = connect_to(host, port);
  if (!socket)
    return socket.why();
  std::unique_ptr<console_link> made(new console_link(*socket));
  const auto greeting = made->ask({}, false);
  if (greeting.broken)
    return {failure::bus_unreachable, "no console answers at " + where};
  if (!greeting.ok())
    return refused(greeting);
  if (!greeting.text.starts_with("parcelflow console"))
    return {failure::bus_unreachable,
            "what answers at " + where + " is no console"};
  return made;
}

console_link::~console_link() {
  ::close(socket_);
}

bool console_link::send(std::string_view line) {
  std::string bytes(line);
  bytes += '\n';
  for (std::size_t at = 0; at < bytes.size();) {
    const auto sent =
      ::send(socket_, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
    if (sent <= 0)
      return false;
    at += static_cast<std::size_t>(sent);
  }
  return true;
}

bool console_link::next_line(std::string& line, int wait_ms) {
  for (;;) {
    if (const auto end = received_.find('\n'); end != std::string::npos) {
      line = received_.substr(0, end);
      received_.erase(0, end + 1);
      return true;
    }
    pollfd ready{socket_, POLLIN, 0};
    if (::poll(&ready, 1, wait_ms) <= 0)
      return false;
    char bytes[16 * 1024];
    const auto count = ::recv(socket_, bytes, sizeof bytes, 0);
    if (count <= 0)
      return false;
    received_.append(bytes, static_cast<std::size_t>(count));
  }
}

console_answer console_link::ask(std::string_view line, bool json) {
  console_answer answer;
  answer.broken = !line.empty() && !send(line);
  std::string got;
  while (!answer.broken) {
    answer.broken = !next_line(got, static_cast<int>(patience.count()));
    if (answer.broken || (!json && got == "."))
      break;
    answer.text += got.starts_with("..") && !json ? got.substr(1) : got;
    answer.text += '\n';
    if (json)
      break;
  }
  answer.failure = failure_in(answer.text);
  return answer;
}

bool console_link::follow(std::string_view line, const volatile bool& stop,
                          const std::function<void(std::string_view)>& row) {
  constexpr std::string_view last_as_json = R"({"text":)";
  if (!send(line))
    return false;
  bool told = false;
  for (std::string got;;) {
    if (!next_line(got, told ? static_cast<int>(patience.count()) : no_limit)) {
      // Any line ends a tail, an empty one asks for nothing else.
      if (told || !stop || !send({}))
        return false;
      told = true;
    } else if (got == "." || got.starts_with(last_as_json)) {
      return true;
    } else if (!failure_in(got).empty()) {
      row(got);
      return got.front() == '{' || (next_line(got, no_limit) && got == ".");
    } else {
      row(got);
    }
  }
}

} // namespace parcelflow::cli
