// A client that sends exactly the bytes it is given: what no library would.
// Blocking, over IPv4 loopback, with a deadline for each wait.
// Owner: the test. Thread rule: one thread. Errors: an empty or partial answer,
// for the test to check.
#pragma once

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

namespace parcelflow::test {

constexpr std::chrono::milliseconds patience{5000};

struct raw_answer {
  int status = 0; ///< 0: no complete answer came
  std::string head;
  std::string body;

  [[nodiscard]] bool has(std::string_view text) const {
    return head.find(text) != std::string::npos
           || body.find(text) != std::string::npos;
  }
};

class raw_client {
public:
  explicit raw_client(std::uint16_t port)
    : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ =
      ::connect(socket_, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0;
  }
  raw_client(raw_client&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)), connected_(other.connected_),
      received_(std::move(other.received_)) {}
  raw_client& operator=(raw_client&&) = delete;
  ~raw_client() { close(); }

  [[nodiscard]] bool connected() const { return connected_; }
  [[nodiscard]] int descriptor() const { return socket_; }

  /// False once the peer has closed or reset.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const auto sent =
        ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0)
        return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  void finish_sending() { ::shutdown(socket_, SHUT_WR); }

  void close() {
    if (socket_ >= 0)
      ::close(std::exchange(socket_, -1));
  }

  /// The next answer, framed by its Content-Length (none: no body).
  raw_answer answer(std::chrono::milliseconds wait = patience,
                    bool to_head = false) {
    const auto until = std::chrono::steady_clock::now() + wait;
    std::size_t end;
    while ((end = received_.find("\r\n\r\n")) == std::string::npos)
      if (!receive(until))
        return {};
    raw_answer got;
    got.head = received_.substr(0, end + 4);
    const auto length = to_head ? 0 : content_length(got.head);
    while (received_.size() < end + 4 + length)
      if (!receive(until))
        return {};
    got.status = static_cast<int>(std::strtol(
      got.head.c_str() + std::string("HTTP/1.1 ").size(), nullptr, 10));
    got.body = received_.substr(end + 4, length);
    received_.erase(0, end + 4 + length);
    return got;
  }

  raw_answer ask(std::string_view bytes) {
    send(bytes);
    return answer();
  }

  /// Everything up to `mark` and with it; empty if it does not come.
  std::string take_until(std::string_view mark,
                         std::chrono::milliseconds wait = patience) {
    const auto until = std::chrono::steady_clock::now() + wait;
    std::size_t end;
    while ((end = received_.find(mark)) == std::string::npos)
      if (!receive(until))
        return {};
    auto taken = received_.substr(0, end + mark.size());
    received_.erase(0, taken.size());
    return taken;
  }

  /// True if the server ends the connection within the wait.
  bool closed_by_server(std::chrono::milliseconds wait = patience) {
    const auto until = std::chrono::steady_clock::now() + wait;
    while (receive(until))
      ;
    return ended_;
  }

  /// Bytes that no answer has taken yet.
  [[nodiscard]] const std::string& unread() const { return received_; }

private:
  static std::size_t content_length(const std::string& head) {
    constexpr std::string_view name = "Content-Length: ";
    const auto at = head.find(name);
    return at == std::string::npos
             ? 0
             : std::strtoul(head.c_str() + at + name.size(), nullptr, 10);
  }

  bool receive(std::chrono::steady_clock::time_point until) {
    using std::chrono::milliseconds;
    const auto left = std::chrono::duration_cast<milliseconds>(
      until - std::chrono::steady_clock::now());
    pollfd ready{socket_, POLLIN, 0};
    if (left.count() <= 0
        || ::poll(&ready, 1, static_cast<int>(left.count())) <= 0)
      return false;
    char bytes[16 * 1024];
    const auto count = ::recv(socket_, bytes, sizeof bytes, 0);
    if (count <= 0) {
      ended_ = true;
      return false;
    }
    received_.append(bytes, static_cast<std::size_t>(count));
    return true;
  }

  int socket_;
  bool connected_ = false;
  bool ended_ = false;
  std::string received_;
};

/// "GET /path" with the headers that every honest request has.
inline std::string get(std::string_view target, std::string_view more = {}) {
  return "GET " + std::string(target) + " HTTP/1.1\r\nHost: localhost\r\n"
         + std::string(more) + "\r\n";
}

inline std::string post(std::string_view target, std::string_view body) {
  return "POST " + std::string(target) + " HTTP/1.1\r\nHost: localhost\r\n"
         + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n"
         + std::string(body);
}

} // namespace parcelflow::test
