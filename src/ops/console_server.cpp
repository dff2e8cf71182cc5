#include "ops/console_server.hpp"

#include "ops/console_worker.hpp"
#include "support/log.hpp"

#include <arpa/inet.h>
#include <caf/io/broker.hpp>
#include <caf/io/middleman.hpp>
#include <caf/scoped_actor.hpp>
#include <netinet/in.h>
#include <sys/socket.h>

#include <map>
#include <utility>
#include <vector>

namespace parcelflow::ops {

using domain::failure;

namespace {

namespace log = support::log;
using caf::io::connection_handle;

using stop_atom = caf::atom_constant<caf::atom("stop")>;

bool is_loopback(const std::string& address) {
  in_addr v4{};
  in6_addr v6{};
  if (inet_pton(AF_INET, address.c_str(), &v4) == 1)
    return (ntohl(v4.s_addr) >> 24) == 127;
  return inet_pton(AF_INET6, address.c_str(), &v6) == 1
         && IN6_IS_ADDR_LOOPBACK(&v6);
}

struct door_setup {
  console_options options;
  std::shared_ptr<const console_dependencies> with;
};

class console_door_state {
public:
  static inline constexpr const char* name = "console_door";

  void start(caf::io::broker* self, door_setup with) {
    self_ = self;
    with_ = std::move(with);
  }
  caf::result<std::uint16_t> open();
  void accept(connection_handle at);
  void received(connection_handle at, const std::vector<char>& bytes);
  void transferred(connection_handle at, std::uint64_t remaining);
  void write(std::int64_t number, const std::string& bytes);
  void read_on(std::int64_t number);
  void over(std::int64_t number, bool by_force);
  void closed(connection_handle at);
  void worker_gone(const caf::actor_addr& worker);
  void stop();

private:
  void turn_away(connection_handle at, failure code, const char* why);
  void quit_if_alone();
  [[nodiscard]] caf::actor worker_of(connection_handle at) const;

  caf::io::broker* self_ = nullptr;
  door_setup with_;
  caf::io::accept_handle door_;
  std::map<std::int64_t, caf::actor> sessions_; ///< by connection
  std::vector<caf::actor> leaving_; ///< their connection is gone already
  bool stopping_ = false;
};

connection_handle handle_of(std::int64_t number) {
  return connection_handle::from_int(number);
}

caf::result<std::uint16_t> console_door_state::open() {
  const auto& options = with_.options;
  auto made =
    self_->add_tcp_doorman(options.port, options.address.c_str(), true);
  if (!made)
    return made.error();
  door_ = made->first;
  return made->second;
}

/// Nothing is read before the worker gives its first credit.
void console_door_state::accept(connection_handle at) {
  if (stopping_)
    return turn_away(at, failure::draining, "the daemon is stopping");
  if (sessions_.size() + leaving_.size() >= with_.options.connections_max)
    return turn_away(at, failure::overloaded,
                     "too many console sessions are open; try again later");
  self_->ack_writes(at, true);
  sessions_[at.id()] = self_->spawn<caf::detached + caf::monitored>(
    console_worker, worker_setup{with_.with, with_.options.session,
                                 caf::actor_cast<caf::actor>(self_), at.id()});
}

void console_door_state::turn_away(connection_handle at, failure code,
                                   const char* why) {
  const auto text = present({}, domain::fault{code, why});
  self_->write(at, text.size(), text.data());
  self_->flush(at);
  self_->close(at);
}

caf::actor console_door_state::worker_of(connection_handle at) const {
  const auto found = sessions_.find(at.id());
  return found == sessions_.end() ? caf::actor() : found->second;
}

void console_door_state::received(connection_handle at,
                                  const std::vector<char>& bytes) {
  if (const auto worker = worker_of(at))
    self_->send(worker, input_atom::value,
                std::string(bytes.begin(), bytes.end()));
}

void console_door_state::transferred(connection_handle at,
                                     std::uint64_t remaining) {
  if (remaining == 0)
    if (const auto worker = worker_of(at))
      self_->send(worker, sent_atom::value);
}

void console_door_state::write(std::int64_t number, const std::string& bytes) {
  const auto at = handle_of(number);
  if (!sessions_.contains(number) || !self_->valid(at))
    return;
  self_->write(at, bytes.size(), bytes.data());
  self_->flush(at);
}

void console_door_state::read_on(std::int64_t number) {
  if (sessions_.contains(number))
    self_->trigger(handle_of(number), 1);
}

/// What was written still leaves; by force, nothing does: the peer has not read
/// for too long. CAF names a connection by its socket.
void console_door_state::over(std::int64_t number, bool by_force) {
  const auto at = handle_of(number);
  if (!sessions_.contains(number))
    return;
  if (self_->valid(at)) {
    if (by_force)
      ::shutdown(static_cast<int>(number), SHUT_RDWR);
    self_->halt(at); // or it would wait for the peer to close first
    self_->close(at);
  }
  closed(at);
}

void console_door_state::closed(connection_handle at) {
  const auto found = sessions_.find(at.id());
  if (found == sessions_.end())
    return;
  self_->send_exit(found->second, caf::exit_reason::user_shutdown);
  leaving_.push_back(std::move(found->second));
  sessions_.erase(found);
}

void console_door_state::worker_gone(const caf::actor_addr& worker) {
  std::erase_if(leaving_,
                [&](const auto& one) { return one.address() == worker; });
  for (const auto& [number, one] : sessions_)
    if (one.address() == worker) { // it failed: its connection goes with it
      log::error("console", "a session failed");
      self_->close(handle_of(number));
      sessions_.erase(number);
      break;
    }
  quit_if_alone();
}

void console_door_state::stop() {
  stopping_ = true;
  self_->close(door_);
  while (!sessions_.empty()) {
    const auto number = sessions_.begin()->first;
    write(number, present({}, domain::fault{failure::draining,
                                            "the daemon is stopping"}));
    over(number, false);
  }
  quit_if_alone();
}

void console_door_state::quit_if_alone() {
  if (stopping_ && sessions_.empty() && leaving_.empty())
    self_->quit();
}

using open_atom = caf::atom_constant<caf::atom("open")>;

caf::behavior
console_door(caf::stateful_actor<console_door_state, caf::io::broker>* self,
             door_setup with) {
  using namespace caf::io;
  auto& state = self->state;
  state.start(self, std::move(with));
  self->set_down_handler(
    [&state](const caf::down_msg& gone) { state.worker_gone(gone.source); });
  return {
    [&state](open_atom) { return state.open(); },
    [&state](const new_connection_msg& m) { state.accept(m.handle); },
    [&state](const new_data_msg& m) { state.received(m.handle, m.buf); },
    [&state](const data_transferred_msg& m) {
      state.transferred(m.handle, m.remaining);
    },
    [](const connection_passivated_msg&) {},
    [&state](const connection_closed_msg& m) { state.closed(m.handle); },
    [](const acceptor_closed_msg&) {},
    [&state](output_atom, std::int64_t number, const std::string& bytes) {
      state.write(number, bytes);
    },
    [&state](read_atom, std::int64_t number) { state.read_on(number); },
    [&state](over_atom, std::int64_t number, bool by_force) {
      state.over(number, by_force);
    },
    [&state](stop_atom) { state.stop(); },
  };
}

} // namespace

void load_console(caf::actor_system_config& into) {
  into.load<caf::io::middleman>();
}

domain::outcome<std::unique_ptr<console_server>>
console_server::start(caf::actor_system& system, const console_options& options,
                      console_dependencies with) {
  if (!is_loopback(options.address))
    return {failure::config_invalid,
            "console.address must be a loopback address: the console has no "
            "TLS"};
  std::unique_ptr<console_server> made(new console_server(system));
  made->broker_ = system.middleman().spawn_broker(
    console_door,
    door_setup{options,
               std::make_shared<const console_dependencies>(std::move(with))});
  caf::scoped_actor self{system};
  self->request(made->broker_, caf::infinite, open_atom::value)
    .receive([&](std::uint16_t port) { made->port_ = port; },
             [](const caf::error&) {});
  if (made->port_ == 0)
    return {failure::config_invalid, "console.port: cannot listen on "
                                       + options.address + ":"
                                       + std::to_string(options.port)};
  return made;
}

void console_server::stop() {
  if (!broker_)
    return;
  caf::scoped_actor self{system_};
  self->send(broker_, stop_atom::value);
  self->wait_for(broker_);
  broker_ = nullptr;
}

console_server::~console_server() {
  stop();
}

} // namespace parcelflow::ops
