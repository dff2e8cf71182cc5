#include "ops/console_session.hpp"

#include "codec/json_text.hpp"
#include "domain/dead_letter.hpp"
#include "support/assert.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace parcelflow::ops {

using domain::failure;
using domain::fault;

namespace {

constexpr std::string_view greeting =
  "parcelflow console, protocol 1: log in with auth TOKEN; try help";
constexpr unix_ms audit_timeout_ms = 600'000; // it reads the whole store
constexpr unix_ms login_delay_max_ms = 60'000;

/// Tenants of the program itself, and the scope of records without one.
bool is_built_in(std::string_view tenant) {
  return !tenant.empty() && (tenant.front() == '_' || tenant.front() == '~');
}

/// Records without a tenant can be closed; there is nothing else to change.
bool may_change(verb what, std::string_view built_in) {
  return built_in == domain::unattributed_tenant
         && (what == verb::waive || what == verb::execute
             || what == verb::cancel);
}

bool reaches(const domain::identity& who, std::string_view tenant) {
  if (is_built_in(tenant))
    return who.granted == domain::role::admin && who.tenants.all;
  return who.tenants.contains(tenant);
}

std::string identity_json(const domain::identity& who,
                          const std::string& tenant) {
  std::string text;
  codec::object_writer out(text);
  out.text("tokenId", who.token_id)
    .text("role", domain::to_string(who.granted));
  auto& tenants = out.member("tenants") += '[';
  if (who.tenants.all)
    codec::append_quoted(tenants, "*");
  for (std::size_t i = 0; i < who.tenants.names.size(); ++i) {
    tenants += i > 0 ? "," : "";
    codec::append_quoted(tenants, who.tenants.names[i]);
  }
  tenants += ']';
  if (!tenant.empty())
    out.text("tenant", tenant);
  out.close();
  return text;
}

} // namespace

console_session::console_session(session_limits limits, session_access access)
  : limits_(limits), access_(std::move(access)) {
  PF_ASSERT(access_.authenticate && access_.still_valid
            && access_.check_tenant);
}

void console_session::open(unix_ms now) {
  active_at_ = now;
  say(present_text({}, greeting));
}

void console_session::receive(std::string_view bytes, unix_ms now) {
  if (over_)
    return;
  input_.append(bytes);
  look_at_lines(now);
}

std::optional<std::string> console_session::next_line() {
  const auto end = input_.find('\n');
  if (end == std::string::npos) {
    if (discarding_ || input_.size() > limits_.line_bytes_max) {
      discarding_ = true;
      input_.clear();
    }
    return std::nullopt;
  }
  std::string line = input_.substr(0, end);
  input_.erase(0, end + 1);
  if (!line.empty() && line.back() == '\r')
    line.pop_back();
  if (line.size() > limits_.line_bytes_max)
    discarding_ = true;
  return line;
}

void console_session::look_at_lines(unix_ms now) {
  while (!over_ && (state_ == state::ready || state_ == state::tailing)) {
    const auto line = next_line();
    if (!line)
      return;
    if (state_ == state::tailing)
      end_tail(now);
    if (std::exchange(discarding_, false)) {
      how_ = {};
      refuse({failure::payload_too_large,
              "a line has at most " + std::to_string(limits_.line_bytes_max)
                + " bytes"});
    } else {
      obey(*line, now);
    }
  }
}

void console_session::obey(std::string_view line, unix_ms now) {
  auto parsed = parse_line(line);
  if (!parsed)
    return;
  how_ = {parsed->json, parsed->width};
  if (!parsed->what)
    return refuse(parsed->what.why());
  if (who_)
    active_at_ = now;
  obey(*std::move(parsed->what), now);
}

void console_session::obey(command what, unix_ms now) {
  asked_ = what.what->id;
  switch (asked_) {
  case verb::help: {
    const auto* about = find_verb(what.word(0));
    if (!what.words.empty() && about == nullptr)
      return refuse({failure::invalid_request, "there is no such verb"});
    return say(
      present_text(how_, about == nullptr ? help_text() : help_text(*about)));
  }
  case verb::quit: over_ = true; return say(present_text(how_, "bye"));
  case verb::auth: return log_in(what.word(0), now);
  default: break;
  }
  auto admitted = admit(std::move(what));
  if (!admitted)
    return refuse(admitted.why());
  if (asked_ == verb::whoami)
    return show_identity();
  if (asked_ == verb::tenant)
    return choose_tenant(admitted->what.words.front());
  admitted->ticket = ++ticket_;
  command_ = *std::move(admitted);
  state_ = asked_ == verb::tail ? state::tailing : state::asking;
  until_ = now
           + (asked_ == verb::audit
                ? std::max(limits_.answer_timeout_ms, audit_timeout_ms)
                : limits_.answer_timeout_ms);
}

void console_session::log_in(std::string_view token, unix_ms now) {
  who_.reset();
  tenant_.clear();
  auto found = access_.authenticate(token);
  if (found) {
    who_ = *std::move(found);
    failed_logins_ = 0;
    active_at_ = now;
    if (!who_->tenants.all && who_->tenants.names.size() == 1)
      tenant_ = who_->tenants.names.front();
    return show_identity();
  }
  if (access_.unauthenticated)
    access_.unauthenticated();
  ++failed_logins_;
  over_ = failed_logins_ >= limits_.login_attempts_max;
  held_back_ =
    present(how_, fault{failure::unauthenticated, "a valid token is required"});
  const auto doublings = std::min(failed_logins_ - 1, 16U);
  until_ =
    now + std::min(limits_.login_delay_ms << doublings, login_delay_max_ms);
  state_ = state::delayed;
}

void console_session::show_identity() {
  say(present(how_, asked_, identity_json(*who_, tenant_)));
}

void console_session::choose_tenant(const std::string& name) {
  if (!reaches(*who_, name))
    return refuse(deny(name, "tenant"));
  if (!is_built_in(name))
    if (const auto served = access_.check_tenant(name); !served)
      return refuse(served.why());
  tenant_ = name;
  show_identity();
}

domain::outcome<admitted_command> console_session::admit(command what) {
  if (!who_)
    return {failure::unauthenticated, "log in first: auth TOKEN"};
  auto still = access_.still_valid(who_->token_id);
  if (!still) {
    who_.reset();
    tenant_.clear();
    return {failure::unauthenticated, "this token is not valid any more"};
  }
  who_ = *std::move(still);
  const auto needs = authority_of(what);
  admitted_command made{0, std::move(what), *who_,
                        needs.about == scope::tenant ? tenant_ : std::string()};
  if (auto reached = check_reach(made, needs); !reached) {
    if (reached.why().code == failure::forbidden)
      return deny(made.tenant, made.what.what->name);
    return reached.why();
  }
  return made;
}

domain::status console_session::check_reach(const admitted_command& of,
                                            const authority& needs) const {
  const fault no{failure::forbidden, {}};
  if (who_->granted < needs.needed)
    return no;
  if (needs.about == scope::process)
    return who_->tenants.all ? domain::done() : domain::status(no);
  if (needs.about != scope::tenant)
    return domain::done();
  if (of.tenant.empty())
    return {failure::invalid_request,
            "this token reaches several tenants: choose one with tenant NAME"};
  if (!reaches(*who_, of.tenant)
      || (is_built_in(of.tenant) && of.what.what->changes
          && !may_change(of.what.what->id, of.tenant)))
    return no;
  return is_built_in(of.tenant) ? domain::done()
                                : access_.check_tenant(of.tenant);
}

fault console_session::deny(const std::string& tenant,
                            std::string_view verb_name) {
  if (access_.denied) {
    const auto served = access_.check_tenant(tenant);
    const bool known = served || served.why().code != failure::unknown_tenant;
    access_.denied(
      {who_->token_id, known ? tenant : std::string(), std::string(verb_name)});
  }
  return {failure::forbidden, "this token's role or tenants do not allow that"};
}

void console_session::answer(std::uint64_t ticket,
                             const domain::outcome<std::string>& document,
                             unix_ms now) {
  if (ticket != ticket_ || over_
      || (state_ != state::asking && state_ != state::tailing))
    return;
  active_at_ = now;
  say(document ? present(how_, asked_, *document)
               : present(how_, document.why()));
}

void console_session::stream(std::uint64_t ticket, std::string_view document) {
  if (ticket == ticket_ && state_ == state::tailing && !over_)
    output_ += present_row(how_, asked_, document);
}

void console_session::end_tail(unix_ms now) {
  active_at_ = now;
  command_.reset();
  ++ticket_;
  state_ = state::ready;
  output_ += present_text(how_, "the tail has ended");
}

void console_session::sent(unix_ms now) {
  unsent_since_.reset();
  if (state_ != state::sending)
    return;
  state_ = state::ready;
  look_at_lines(now);
}

void console_session::tick(unix_ms now) {
  if (state_ == state::delayed && now >= until_)
    return say(std::exchange(held_back_, {}));
  if (unsent_since_ && now - *unsent_since_ >= limits_.idle_timeout_ms)
    given_up_ = over_ = true;
  if (over_)
    return;
  if (state_ == state::asking && now >= until_) {
    ++ticket_; // a late answer is of no use
    refuse({failure::deadline_exceeded,
            "no answer in time; what was asked for may still be done"});
  } else if (state_ == state::ready
             && now - active_at_ >= limits_.idle_timeout_ms) {
    close(who_ ? "nothing was asked for too long" : "no login in time");
  }
}

void console_session::close(std::string_view why) {
  how_ = {};
  refuse({failure::deadline_exceeded, std::string(why)});
  over_ = true;
}

unix_ms console_session::next_tick() const {
  auto at = std::numeric_limits<unix_ms>::max();
  if (state_ == state::delayed || state_ == state::asking)
    at = until_;
  if (state_ == state::ready)
    at = active_at_ + limits_.idle_timeout_ms;
  if (unsent_since_)
    at = std::min(at, *unsent_since_ + limits_.idle_timeout_ms);
  return at;
}

void console_session::say(std::string_view bytes) {
  output_ += bytes;
  state_ = state::sending;
}

void console_session::refuse(const fault& why) {
  say(present(how_, why));
}

std::string console_session::take_output(unix_ms now) {
  if (!output_.empty() && !unsent_since_)
    unsent_since_ = now;
  return std::exchange(output_, {});
}

std::optional<admitted_command> console_session::take_command() {
  return std::exchange(command_, std::nullopt);
}

std::uint64_t console_session::tailing() const {
  return state_ == state::tailing ? ticket_ : 0;
}

bool console_session::wants_input() const {
  return !over_ && (state_ == state::ready || state_ == state::tailing);
}

} // namespace parcelflow::ops
