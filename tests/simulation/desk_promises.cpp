#include "domain/dead_letter.hpp"
#include "domain/operator_log.hpp"
#include "domain/sequence_rule.hpp"
#include "storage/consumer_store.hpp"
#include "storage/keys.hpp"
#include "tests/simulation/promises_parts.hpp"

#include <set>
#include <tuple>

namespace parcelflow::simulation {
namespace {

using storage::kind;
using storage::owner;
/// Tenant, verb, target.
using said = std::tuple<std::string, std::string, std::string>;

constexpr owner consumers[] = {owner::inventory, owner::fulfillment,
                               owner::notification};
/// Attempts that a death left unfinished count besides.
constexpr std::uint64_t deaths_max = 3;

template <class Visit>
void each(const test::rows& at, owner of, kind what, Visit visit) {
  const auto from = storage::key_writer(what).take();
  at.scan(of, from, storage::prefix_end(from), [&](auto key, auto value) {
    storage::key_reader in(key);
    visit(in, value);
    return true;
  });
}

std::set<said> log_of(const test::rows& at) {
  std::set<said> all;
  each(at, owner::dead_letter, kind::operator_log, [&](auto& in, auto value) {
    const auto entry = domain::decode_log_entry(in.number(), value);
    if (entry)
      all.emplace(entry->tenant_id, entry->verb, entry->target);
  });
  return all;
}

void skips(const test::rows& at, const std::set<said>& log,
           std::vector<std::string>& found) {
  for (const auto of : consumers)
    each(at, of, kind::skip, [&](auto& in, auto) {
      const auto tenant = in.text();
      auto target = in.text();
      target += " " + in.text();
      target += " " + std::to_string(in.number());
      if (!log.contains({tenant, "skip", target}))
        found.push_back("R21: the skip of " + target
                        + " is not in the operator log");
    });
}

void waivers(const test::rows& at, const std::set<said>& log,
             std::vector<std::string>& found) {
  each(at, owner::dead_letter, kind::dead_letter, [&](auto& in, auto value) {
    const auto tenant = in.text();
    const auto id = in.text();
    const auto letter = domain::decode_dead_letter(tenant, id, value);
    if (!letter || letter->state() != domain::dead_letter_state::waived
        || letter->steps.back().reason.starts_with("skipped: "))
      return;
    if (!log.contains({tenant, "waive", id}))
      found.push_back("R21: the waiver of " + id
                      + " is not in the operator log");
  });
  // Its consumer lets go of it first; the record follows.
  for (const auto of : consumers)
    each(at, of, kind::to_tell, [&](auto& in, auto value) {
      const auto tenant = in.text();
      const auto id = in.text();
      const auto row = storage::decode_tell(tenant, id, value);
      if (row && row->closed
          && row->closed->to == domain::dead_letter_state::waived
          && !row->closed->reason.starts_with("skipped: ")
          && !log.contains({tenant, "waive", id}))
        found.push_back("R21: the waiver of " + id
                        + " is not in the operator log");
    });
}

void attempts(const test::rows& at, std::uint64_t most,
              std::vector<std::string>& found) {
  for (const auto of : consumers)
    each(at, of, kind::waiting_room, [&](auto&, auto value) {
      const auto room = storage::decode_room(value);
      if (room && room->mode == storage::room_mode::retry
          && room->attempts.size() > most + deaths_max)
        found.push_back("R13: " + room->event_id + " was tried "
                        + std::to_string(room->attempts.size())
                        + " times and is not exhausted");
    });
}

/// What the consumer of a record applied at its sequence, if it is in the row.
bool applied(const test::rows& at, const domain::dead_letter& of) {
  for (const auto home : consumers) {
    const auto row = at.get(
      home, storage::stream_key(of.tenant_id, of.consumer, of.aggregate_id));
    const auto stream = row ? domain::decode_stream(*row) : domain::fault{};
    if (!stream)
      continue;
    for (const auto& one : stream->recent)
      if (one.event_id == of.event_id && one.digest == of.digest)
        return one.mark != domain::inbox_mark::skipped;
  }
  return false;
}

} // namespace

void letter_promises(const test::rows& at, std::vector<std::string>& found) {
  each(at, owner::dead_letter, kind::dead_letter, [&](auto& in, auto value) {
    const auto tenant = in.text();
    const auto id = in.text();
    const auto letter = domain::decode_dead_letter(tenant, id, value);
    if (letter && letter->state() == domain::dead_letter_state::open
        && applied(at, *letter))
      found.push_back("R14: " + letter->event_id
                      + " was applied, and its record is open");
  });
}

void desk_promises(const test::rows& at, std::uint64_t attempts_max,
                   std::vector<std::string>& found) {
  const auto log = log_of(at);
  skips(at, log, found);
  waivers(at, log, found);
  attempts(at, attempts_max, found);
}

} // namespace parcelflow::simulation
