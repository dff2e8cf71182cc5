// A hostile peer can reach some of Beast's own assertions (an empty chunked
// body that drips in); each is followed by code that copes.
#define BOOST_DISABLE_ASSERTS

#include "http/server.hpp"

#include "http/stream_session.hpp"

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <algorithm>
#include <optional>
#include <thread>

namespace parcelflow::http {

namespace {

using domain::failure;
using domain::fault;
using std::chrono::milliseconds;

using tcp_acceptor =
  asio::basic_socket_acceptor<asio::ip::tcp, asio::io_context::executor_type>;
using tls_context = std::shared_ptr<asio::ssl::context>;

// Beyond `connections_max`, so many more are told 503; others just close.
constexpr std::size_t turned_away_max = 64;

domain::outcome<asio::ip::tcp::endpoint>
endpoint_of(const server_options& options) {
  beast::error_code error;
  const auto address = asio::ip::make_address(options.address, error);
  if (error)
    return fault{failure::config_invalid, "the HTTP address '" + options.address
                                            + "' is not a numeric IP address"};
  const bool tls = !options.certificate_file.empty();
  if (tls == options.key_file.empty())
    return fault{failure::config_invalid,
                 "TLS needs both a certificate file and a key file"};
  if (!address.is_loopback() && !tls)
    return fault{failure::config_invalid,
                 "the HTTP address " + options.address
                   + " is not a loopback address, so it needs a certificate "
                     "file and a key file"};
  return asio::ip::tcp::endpoint(address, options.port);
}

domain::outcome<tls_context> load_tls(const server_options& options) {
  const auto unreadable = [](const std::string& file, beast::error_code error) {
    return fault{failure::config_invalid,
                 "cannot use " + file + ": " + error.message()};
  };
  auto context =
    std::make_shared<asio::ssl::context>(asio::ssl::context::tls_server);
  auto* native = context->native_handle();
  SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
  SSL_CTX_set_options(native, SSL_OP_NO_RENEGOTIATION);
  beast::error_code error;
  context->use_certificate_chain_file(options.certificate_file, error);
  if (error)
    return unreadable(options.certificate_file, error);
  context->use_private_key_file(options.key_file, asio::ssl::context::pem,
                                error);
  if (error) // also a key that does not belong to the certificate
    return unreadable(options.key_file, error);
  return context;
}

milliseconds sweep_interval(const server_options& options) {
  const auto shortest = std::min(
    {options.header_timeout, options.body_timeout, options.idle_timeout});
  return std::clamp(shortest / 8, milliseconds(2), milliseconds(250));
}

} // namespace

struct server::impl {
  impl(server_options options, handler on_request, tls_context with_tls)
    : door_(std::move(options), std::move(on_request)),
      tls_(std::move(with_tls)) {
    door_.box = std::make_shared<answer_box>(
      [this] { asio::post(io_, [this] { deliver(); }); });
  }

  domain::status listen(const asio::ip::tcp::endpoint& at) {
    beast::error_code error;
    const auto failed = [&error, &at](const char* step) {
      return fault{failure::internal, std::string("cannot ") + step + " port "
                                        + std::to_string(at.port()) + " on "
                                        + at.address().to_string() + ": "
                                        + error.message()};
    };
    acceptor_.open(at.protocol(), error);
    if (error)
      return failed("open");
    acceptor_.set_option(asio::socket_base::reuse_address(true), error);
    acceptor_.bind(at, error);
    if (error)
      return failed("bind");
    acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (error)
      return failed("listen on");
    port_ = acceptor_.local_endpoint(error).port();
    return domain::done();
  }

  void run() {
    sweep();
    accept();
    thread_ = std::thread([this] { io_.run(); });
  }

  void deliver() {
    for (auto& answer : door_.box->take()) {
      const auto it = door_.sessions.find(answer.session);
      if (it == door_.sessions.end())
        continue; // its connection is gone
      const auto session = it->second;
      session->answer(answer.slot, std::move(answer.value));
    }
  }

  void accept() {
    accepting_ = true;
    acceptor_.async_accept(io_.get_executor(),
                           [this](beast::error_code error, tcp_socket socket) {
                             accepting_ = false;
                             if (!error)
                               admit(std::move(socket));
                             // Out of descriptors: the next sweep tries again,
                             // not a hot loop.
                             if (!error && acceptor_.is_open())
                               accept();
                           });
  }

  void admit(tcp_socket socket) {
    const auto open = door_.sessions.size();
    const bool over_cap = open >= door_.options.connections_max;
    if (over_cap)
      door_.counters.connections_refused.fetch_add(1);
    if (open >= door_.options.connections_max + turned_away_max)
      return;
    beast::error_code error;
    socket.set_option(asio::ip::tcp::no_delay(true), error);
    const auto peer = socket.remote_endpoint(error);
    if (error)
      return; // gone already
    const auto id = next_session_++;
    const auto begin = [this, id, over_cap](auto session) {
      if (over_cap)
        session->turn_away();
      door_.add(id, session);
      session->start();
    };
    auto remote = peer.address().to_string();
    if (tls_)
      begin(std::make_shared<stream_session<tls_stream>>(
        door_, id, std::move(remote), tls_stream(std::move(socket), *tls_)));
    else
      begin(std::make_shared<stream_session<tcp_socket>>(
        door_, id, std::move(remote), std::move(socket)));
  }

  void sweep() {
    door_.date = http_date(std::time(nullptr));
    const auto now = deadline_clock::now();
    door_.each_session([now](door_session& each) { each.sweep(now); });
    if (!accepting_ && acceptor_.is_open())
      accept();
    timer_.expires_after(sweep_interval(door_.options));
    timer_.async_wait([this](beast::error_code error) {
      if (!error)
        sweep();
    });
  }

  void stop_accepting() {
    beast::error_code ignored;
    acceptor_.close(ignored);
  }

  void stop() {
    if (!thread_.joinable())
      return;
    door_.box->close();
    asio::post(io_, [this] {
      stop_accepting();
      door_.each_session([](door_session& each) { each.close(); });
      io_.stop();
    });
    thread_.join();
  }

  // The door and the TLS context outlive the io_context, which at its end
  // drops operations that still hold sessions.
  door door_;
  tls_context tls_;
  asio::io_context io_{1};
  tcp_acceptor acceptor_{io_.get_executor()};
  asio::steady_timer timer_{io_};
  std::uint64_t next_session_ = 1;
  bool accepting_ = false;
  std::uint16_t port_ = 0;
  std::thread thread_;
};

domain::status server::check(const server_options& options) {
  if (const auto at = endpoint_of(options); !at)
    return at.why();
  if (options.certificate_file.empty())
    return domain::done();
  const auto tls = load_tls(options);
  return tls ? domain::done() : domain::status(tls.why());
}

domain::outcome<std::unique_ptr<server>> server::start(server_options options,
                                                       handler on_request) {
  const auto at = endpoint_of(options);
  if (!at)
    return at.why();
  tls_context tls;
  if (!options.certificate_file.empty()) {
    auto loaded = load_tls(options);
    if (!loaded)
      return loaded.why();
    tls = *loaded;
  }
  auto self = std::make_unique<impl>(std::move(options), std::move(on_request),
                                     std::move(tls));
  if (const auto listening = self->listen(*at); !listening)
    return listening.why();
  self->run();
  return std::unique_ptr<server>(new server(std::move(self)));
}

server::server(std::unique_ptr<impl> self) : impl_(std::move(self)) {}

server::~server() {
  stop();
}

std::uint16_t server::port() const noexcept {
  return impl_->port_;
}

server_counters server::counters() const noexcept {
  const auto& from = impl_->door_.counters;
  return {from.connections_open, from.connections_refused, from.requests,
          from.bad_requests, from.timeouts};
}

domain::status server::reload_certificate() {
  if (impl_->door_.options.certificate_file.empty())
    return domain::done();
  auto fresh = load_tls(impl_->door_.options);
  if (!fresh)
    return fresh.why();
  asio::post(impl_->io_,
             [self = impl_.get(), tls = *fresh] { self->tls_ = tls; });
  return domain::done();
}

bool server::drain(milliseconds deadline) {
  if (!impl_->thread_.joinable())
    return true;
  asio::post(impl_->io_, [self = impl_.get()] {
    self->stop_accepting();
    self->door_.start_drain();
  });
  return impl_->door_.wait_drained(deadline);
}

void server::stop() {
  impl_->stop();
}

} // namespace parcelflow::http
