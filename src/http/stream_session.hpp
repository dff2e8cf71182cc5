// How a session's bytes move: plain TCP, or TLS over it. Only operations are
// here; each keeps the session alive until it ends.
// Private to server.cpp (Boost). Thread rule: the server's thread.
#pragma once

#include "http/session.hpp"

#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>

#include <memory>
#include <type_traits>
#include <utility>

namespace parcelflow::http {

// The concrete executor: the type-erased default costs an allocation or two
// for each operation.
using tcp_socket =
  asio::basic_stream_socket<asio::ip::tcp, asio::io_context::executor_type>;
using tls_stream = asio::ssl::stream<tcp_socket>;

template <class Stream>
class stream_session final
  : public session,
    public std::enable_shared_from_this<stream_session<Stream>> {
public:
  stream_session(door& owner, std::uint64_t id, std::string remote,
                 Stream stream)
    : session(owner, id, std::move(remote)), stream_(std::move(stream)) {}

private:
  static constexpr bool is_tls = std::is_same_v<Stream, tls_stream>;

  auto self() { return this->shared_from_this(); }

  tcp_socket& socket() {
    if constexpr (is_tls)
      return stream_.next_layer();
    else
      return stream_;
  }

  void async_handshake() override {
    if constexpr (is_tls)
      stream_.async_handshake(
        Stream::server,
        [me = self()](beast::error_code error) { me->on_handshake(!error); });
    else
      asio::post(stream_.get_executor(),
                 [me = self()] { me->on_handshake(true); });
  }

  void async_read(asio::mutable_buffer into) override {
    read_from(stream_, into);
  }

  void async_discard(asio::mutable_buffer into) override {
    read_from(socket(), into);
  }

  template <class From>
  void read_from(From& from, asio::mutable_buffer into) {
    from.async_read_some(
      into, [me = self()](beast::error_code error, std::size_t bytes) {
        me->on_read(how_ended(error), bytes);
      });
  }

  void async_write(asio::const_buffer bytes) override {
    asio::async_write(stream_, bytes,
                      [me = self()](beast::error_code error, std::size_t) {
                        me->on_write(!error);
                      });
  }

  void async_goodbye() override {
    if constexpr (is_tls)
      stream_.async_shutdown(
        [me = self()](beast::error_code) { me->on_goodbye(); });
    else
      asio::post(stream_.get_executor(), [me = self()] { me->on_goodbye(); });
  }

  void half_close() noexcept override {
    beast::error_code ignored;
    socket().shutdown(tcp_socket::shutdown_send, ignored);
  }

  void close_socket() noexcept override {
    beast::error_code ignored;
    socket().close(ignored);
  }

  static session::read_end how_ended(beast::error_code error) {
    if (!error)
      return session::read_end::data;
    const bool end =
      error == asio::error::eof || error == asio::ssl::error::stream_truncated;
    return end ? session::read_end::end_of_stream : session::read_end::broken;
  }

  Stream stream_;
};

} // namespace parcelflow::http
