// The HTTP door as a port: requests in, one answer each out. The library
// behind it (Boost.Beast on one io_context thread) stays in server.cpp, so no
// other file pays for its templates.
//
// Guarantees: each request that reaches the handler gets exactly one answer,
// in the order of its connection (500 if its responder is dropped unused);
// limits are enforced before a body is buffered; what does not parse never
// reaches the handler. What the door refuses by itself is answered with a
// problem document as the last word of its connection.
// Thread rule: `start`, `drain` and `stop` are called from one thread. The
// handler runs on the server's thread and must not block. A responder may be
// called from any thread, once, even after the server is gone; later calls are
// ignored.
#pragma once

#include "domain/failure.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace parcelflow::http {

using header_list = std::vector<std::pair<std::string, std::string>>;

/// A request that parsed and stayed within the limits.
struct request {
  std::string method;  ///< upper case, as sent
  std::string target;  ///< path and query, as sent
  header_list headers; ///< in order; names as sent
  std::string body;
  std::string remote; ///< peer address, for logs

  /// First value of a header, name compared without case; empty if absent.
  [[nodiscard]] std::string_view header(std::string_view name) const noexcept;
  /// How many headers have that name.
  [[nodiscard]] std::size_t header_count(std::string_view name) const noexcept;
};

struct response {
  int status = 200;
  header_list headers; ///< without Content-Length, Date, Connection
  std::string body;
};

using responder = std::function<void(response)>;
using handler = std::function<void(std::shared_ptr<const request>, responder)>;

/// Every limit of the door, each with its unit. Defaults are the product's.
struct server_options {
  std::string address = "127.0.0.1";  ///< loopback unless told otherwise
  std::uint16_t port = 0;             ///< 0 = any free one, see server::port
  std::size_t connections_max = 1024; ///< beyond: 503 and close
  std::size_t body_bytes_max = 256 * 1024;  ///< beyond: 413, nothing buffered
  std::size_t header_bytes_max = 16 * 1024; ///< beyond: 431
  std::size_t headers_max = 100;            ///< count; beyond: 431
  std::size_t pipeline_max = 16; ///< unanswered requests a connection
  /// A whole header from its first byte (408); a TLS handshake; the first byte
  /// of a connection (close).
  std::chrono::milliseconds header_timeout{5000};
  std::chrono::milliseconds body_timeout{10000}; ///< a whole body; 408
  /// Between requests (close); also one write to a client that reads slowly.
  std::chrono::milliseconds idle_timeout{60000};
  std::string certificate_file;   ///< PEM; with key_file: TLS 1.2+
  std::string key_file;           ///< PEM; a non-loopback address needs both
  std::vector<std::string> hosts; ///< allowed Host names; empty = any
};

struct server_counters {
  std::uint64_t connections_open = 0;
  std::uint64_t connections_refused = 0;
  std::uint64_t requests = 0;
  std::uint64_t bad_requests = 0; ///< answered by the door itself
  std::uint64_t timeouts = 0;
};

class server {
public:
  /// What `start` refuses as config_invalid, without binding.
  [[nodiscard]] static domain::status check(const server_options& options);

  /// Binds and listens. Refuses (config_invalid) an address that does not
  /// parse, a non-loopback address without TLS, an unreadable certificate;
  /// (internal) a port that cannot be bound.
  static domain::outcome<std::unique_ptr<server>> start(server_options options,
                                                        handler on_request);

  server(const server&) = delete;
  server& operator=(const server&) = delete;
  ~server();

  [[nodiscard]] std::uint16_t port() const noexcept;
  [[nodiscard]] server_counters counters() const noexcept;

  /// Reads certificate and key again for connections accepted from now on.
  domain::status reload_certificate();

  /// Stops accepting, lets the requests under way finish, answers them with
  /// `Connection: close`. True if all were answered before the deadline.
  bool drain(std::chrono::milliseconds deadline);

  /// Closes everything at once. Idempotent.
  void stop();

private:
  struct impl;
  explicit server(std::unique_ptr<impl> self);
  std::unique_ptr<impl> impl_;
};

} // namespace parcelflow::http
