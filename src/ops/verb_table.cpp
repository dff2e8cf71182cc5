// The table of verbs.
#include "ops/console_command.hpp"

#include <algorithm>

namespace parcelflow::ops {
namespace {

using domain::role;

constexpr argument verb_word[] = {
  {"VERB", shape::word, false, {}, {}, "a verb of this list"}};
constexpr argument token_word[] = {
  {"TOKEN", shape::word, true, {}, {}, "a token, pft_…"}};
constexpr argument tenant_word[] = {
  {"NAME", shape::word, true, {}, {}, "a tenant that the token reaches"}};
constexpr argument id_word[] = {
  {"ID",
   shape::word,
   true,
   {},
   {},
   "an order, event, key, trace, fulfillment, notification, dead-letter or "
   "replay id"}};
constexpr argument letter_word[] = {
  {"DEAD-LETTER", shape::word, true, {}, {}, "a dead-letter id"}};
constexpr argument evidence_word[] = {
  {"ID",
   shape::word,
   true,
   {},
   {},
   "an order's or a dead letter's id; a plan's or a replay's, for its "
   "report"}};
constexpr argument order_word[] = {
  {"ID", shape::word, true, {}, {}, "an order id, or one of its event ids"}};
constexpr argument plan_word[] = {
  {"PLAN", shape::word, true, {}, {}, "a plan's id, pln-…"}};
constexpr argument replay_word[] = {
  {"REPLAY", shape::word, true, {}, {}, "a replay's id, rpl-…"}};
constexpr argument progress_word[] = {
  {"ID", shape::word, true, {}, {}, "a plan's or a replay's id"}};
constexpr argument skip_words[] = {
  {"CONSUMER", shape::word, true, {}, {}, "e.g. fulfillment-v1"},
  {"ORDER", shape::word, true, {}, {}, "the stream's order"},
  {"SEQUENCE",
   shape::number,
   true,
   {},
   {},
   "the stream's position + 1, so that nothing else is skipped by mistake"}};
constexpr argument redirect_words[] = {
  {"CONSUMER", shape::word, true, {}, {}, "who has the stream now"},
  {"ORDER", shape::word, true, {}, {}, "the stream's order"},
  {"TO-CONSUMER", shape::word, true, {}, {}, "who takes it over"}};
constexpr argument resend_words[] = {
  {"CONSUMER", shape::word, true, {}, {}, "who is to be offered them"},
  {"ORDER", shape::word, true, {}, {}, "the stream's order"},
  {"FROM..TO",
   shape::range,
   false,
   {},
   {},
   "sequences; left out: all from 1; FROM..: all from FROM"}};
constexpr argument pause_words[] = {
  {"WHAT",
   shape::choice,
   true,
   "relay|consumer|tenant|stream",
   {},
   "relay; consumer NAME; tenant (the chosen one); stream ORDER [CONSUMER]"},
  {"NAME", shape::word, false, {}, {}, "the consumer, or the stream's order"},
  {"CONSUMER",
   shape::word,
   false,
   {},
   {},
   "of a stream: for this consumer alone"}};

constexpr argument limit{"limit", shape::number, false,
                         {},      "N",           "rows of the page, 1 to 200"};
constexpr argument cursor{"cursor", shape::word, false,
                          {},       "TEXT",      "where the page before ended"};
constexpr argument reason{"reason", shape::word, true,
                          {},       "TEXT",      "why, for the operator log"};
constexpr argument reason_if{
  "reason", shape::word, false, {}, "TEXT", "why, for the operator log"};
constexpr argument one_consumer{
  "consumer", shape::word, false, {}, "NAME", "of this consumer alone"};

constexpr argument page_terms[] = {limit, cursor};
constexpr argument stream_terms[] = {one_consumer, limit, cursor};
constexpr argument reason_terms[] = {reason};
constexpr argument reason_if_terms[] = {reason_if};
constexpr argument show_terms[] = {
  {"payload", shape::choice, false, "yes", "yes",
   "also the payload as received; the look is logged"}};
constexpr argument execute_terms[] = {{"rate",
                                       shape::number,
                                       false,
                                       {},
                                       "N",
                                       "events a second; left out: no limit"},
                                      reason_if};
constexpr argument tail_terms[] = {
  one_consumer,
  {"order", shape::word, false, {}, "ID", "of this order alone"},
  {"verdict", shape::choice, false,
   "applied|declined|duplicate|skipped|stale|waiting|gap|fork|unsupported|"
   "exhausted|invalid|retrying|parked",
   "NAME", "of this kind alone"}};

#define PF_FILTER                                                              \
  {"state", shape::choice,  false, "open|replaying|resolved|waived",           \
   "STATE", "of this state"},                                                  \
    {"cause",                                                                  \
     shape::choice,                                                            \
     false,                                                                    \
     "SEQUENCE_GAP|SEQUENCE_FORK|UNSUPPORTED_VERSION|ATTEMPTS_EXHAUSTED|"      \
     "INVALID_ENVELOPE|STALE|PUBLISH_REFUSED",                                 \
     "CAUSE",                                                                  \
     "of this cause"},                                                         \
    one_consumer,                                                              \
    {"type", shape::word, false, {}, "NAME", "of this event type"},            \
    {"version", shape::number, false, {}, "N", "of this event version"},       \
    {"order", shape::word, false, {}, "ID", "of this order"},                  \
    {"since",                                                                  \
     shape::word,                                                              \
     false,                                                                    \
     {},                                                                       \
     "TIME",                                                                   \
     "first seen at or after: 2026-11-30T19:00:00Z, or an age such as 2h"},    \
    {"until", shape::word, false, {}, "TIME", "first seen before"}, {          \
    "text", shape::word, false, {}, "TEXT", "in its ids, trace or reason"      \
  }
constexpr argument list_terms[] = {PF_FILTER, limit, cursor};
constexpr argument plan_terms[] = {PF_FILTER, reason_if};
#undef PF_FILTER

constexpr auto any = role::tenant_operator;
constexpr auto responder = role::responder;
constexpr auto admin = role::admin;
constexpr bool changes = true;
constexpr bool looks = false;

constexpr verb_entry table[] = {
  {verb::help,
   "help",
   any,
   scope::anyone,
   looks,
   verb_word,
   {},
   "Lists the verbs, or explains one."},
  {verb::auth,
   "auth",
   any,
   scope::anyone,
   looks,
   token_word,
   {},
   "Logs in with a token."},
  {verb::whoami,
   "whoami",
   any,
   scope::login,
   looks,
   {},
   {},
   "Shows your token's id, role and tenants."},
  {verb::tenant,
   "tenant",
   any,
   scope::login,
   looks,
   tenant_word,
   {},
   "Chooses the tenant that the next commands are about."},
  {verb::quit, "quit", any, scope::anyone, looks, {}, {}, "Ends the session."},
  {verb::health,
   "health",
   any,
   scope::login,
   looks,
   {},
   {},
   "Shows whether the daemon serves, and why not."},
  {verb::stats,
   "stats",
   responder,
   scope::login,
   looks,
   {},
   {},
   "Shows what the process counted, as far as it is not 0."},
  {verb::tenants,
   "tenants",
   responder,
   scope::login,
   looks,
   {},
   page_terms,
   "Lists the tenants you reach, with what is open and what waits."},
  {verb::streams,
   "streams",
   responder,
   scope::tenant,
   looks,
   {},
   stream_terms,
   "Lists streams that wait, and for what."},
  {verb::outbox,
   "outbox",
   admin,
   scope::process,
   looks,
   {},
   {},
   "Shows how much is committed and not published yet."},
  {verb::dead_letters,
   "dead-letters",
   responder,
   scope::tenant,
   looks,
   {},
   list_terms,
   "Lists dead letters that match every term, and how many do."},
  {verb::export_letters,
   "export",
   responder,
   scope::tenant,
   looks,
   {},
   list_terms,
   "Lists dead letters like dead-letters, each with all that its record "
   "says."},
  {verb::show, "show", responder, scope::tenant, looks, letter_word, show_terms,
   "Shows one dead letter: cause, history, what became of it."},
  {verb::find,
   "find",
   responder,
   scope::tenant,
   looks,
   id_word,
   {},
   "Finds whatever bears an id."},
  {verb::evidence, "evidence", responder, scope::tenant, looks, evidence_word,
   page_terms,
   "Shows the evidence of an order or dead letter, or the items "
   "of a plan or replay."},
  {verb::explain,
   "explain",
   responder,
   scope::tenant,
   looks,
   order_word,
   {},
   "Shows an order's causal line, from request to effects."},
  {verb::plan,
   "plan",
   responder,
   scope::tenant,
   looks,
   {},
   plan_terms,
   "Freezes the dead letters that match and predicts each verdict; writes "
   "nothing."},
  {verb::execute, "execute", responder, scope::tenant, changes, plan_word,
   execute_terms, "Replays exactly what a plan froze."},
  {verb::cancel, "cancel", responder, scope::tenant, changes, replay_word,
   reason_if_terms, "Stops a replay before its next event."},
  {verb::replays,
   "replays",
   responder,
   scope::tenant,
   looks,
   {},
   page_terms,
   "Lists replays, the latest first."},
  {verb::progress,
   "progress",
   responder,
   scope::tenant,
   looks,
   progress_word,
   {},
   "Shows how far a plan or a replay is."},
  {verb::waive, "waive", responder, scope::tenant, changes, letter_word,
   reason_terms, "Closes a dead letter that is not its stream's next event."},
  {verb::skip, "skip", responder, scope::tenant, changes, skip_words,
   reason_terms, "Gives up one event of a stream, so that it goes on."},
  {verb::redirect, "redirect", responder, scope::tenant, changes,
   redirect_words, reason_terms,
   "Hands a stream to a compatible consumer of the same owner."},
  {verb::resend, "resend", responder, scope::tenant, changes, resend_words,
   reason_if_terms, "Offers committed events of a stream once more."},
  {verb::pause, "pause", responder, scope::tenant, changes, pause_words,
   reason_terms, "Lets something wait, durably; orders are still accepted."},
  {verb::resume, "resume", responder, scope::tenant, changes, pause_words,
   reason_if_terms, "Lets what was paused go on."},
  {verb::pauses,
   "pauses",
   responder,
   scope::login,
   looks,
   {},
   {},
   "Lists what is paused."},
  {verb::tail,
   "tail",
   responder,
   scope::tenant,
   looks,
   {},
   tail_terms,
   "Shows verdicts as they fall; any line ends it."},
  {verb::audit,
   "audit",
   admin,
   scope::process,
   looks,
   {},
   {},
   "Checks the invariants of the store, from a snapshot taken now."},
  {verb::log,
   "log",
   responder,
   scope::login,
   looks,
   {},
   page_terms,
   "Shows the operator log, the latest first."},
  {verb::verify,
   "verify",
   admin,
   scope::process,
   looks,
   {},
   {},
   "Checks the operator log's chain of digests."},
  {verb::drain,
   "drain",
   admin,
   scope::process,
   changes,
   {},
   reason_terms,
   "Stops the daemon in order, as SIGTERM does."},
};

} // namespace

std::span<const verb_entry> verbs() {
  return table;
}

const verb_entry* find_verb(std::string_view name) {
  const auto* found = std::ranges::find(table, name, &verb_entry::name);
  return found == std::end(table) ? nullptr : found;
}

} // namespace parcelflow::ops
