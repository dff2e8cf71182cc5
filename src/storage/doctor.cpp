#include "storage/doctor.hpp"

#include "storage/audit.hpp"
#include "storage/engine.hpp"
#include "storage/inspect.hpp"
#include "storage/manifest_place.hpp"
#include "storage/recovered_view.hpp"
#include "storage/store_copy.hpp"
#include "support/id_source.hpp"

#include <rocksdb/file_system.h>

#include <filesystem>

namespace parcelflow::storage {
namespace {

using domain::failure;
using domain::outcome;
using domain::status;

std::string beside(std::string directory) {
  while (directory.size() > 1 && directory.ends_with('/'))
    directory.pop_back();
  return std::filesystem::absolute(directory)
    .lexically_normal()
    .parent_path()
    .string();
}

outcome<std::unique_ptr<scratch_directory>>
make_room(const engine& shared, const store_options& of,
          const doctor_options& wish) {
  const support::system_clock clock;
  support::seeded_id_source ids(clock, support::entropy_seed());
  const auto where = !wish.work_directory.empty() ? wish.work_directory
                     : !wish.repair_to.empty()    ? beside(wish.repair_to)
                                                  : beside(of.directory);
  return scratch_directory::make(shared.env->GetFileSystem(),
                                 where + "/.doctor-" + ids.next_ulid());
}

/// What the mark and the MANIFEST say, read where they lie.
void read_witnesses(engine& shared, const store_options& of, diagnosis& to) {
  auto mark = acked_mark::read(*shared.env->GetFileSystem(), mark_path(of));
  if (!mark) {
    to.damage.push_back(mark.why().detail);
    return;
  }
  to.acknowledged = mark->sequence;
  auto manifest = manifest_on_disk(*shared.env, store_path(of));
  auto known =
    manifest ? check_manifest(mark->manifest, *manifest) : manifest.why();
  if (!known)
    to.damage.push_back(known.why().detail);
}

/// How much is left, and what the damage took.
void read_files(const store_options& copy, const doctor_options& wish,
                diagnosis& to) {
  for (auto& line : damaged_tables(copy))
    to.damage.push_back(std::move(line));
  auto left = recovered_view::open(copy, log_recovery::up_to_damage);
  if (!left) {
    to.damage.push_back(left.why().detail);
    return;
  }
  to.recovered = (*left)->sequence();
  to.seen_in_log = *to.recovered;
  to.dropped = (*left)->dropped();
  const auto all = recovered_view::open(copy, log_recovery::around_damage);
  if (!all)
    return; // one witness less; the mark and the rows remain
  to.seen_in_log = (*all)->sequence();
  to.lost = (*all)->events_behind((*left)->last_position(), wish.lost_max,
                                  to.lost_events);
}

/// What the rows say, once the copy is a store that opens.
status read_rows(const store_options& copy, const doctor_options& wish,
                 diagnosis& to) {
  if (auto ready = recover_in_place(copy); !ready)
    return ready;
  auto options = copy;
  options.read_only = true;
  auto opened = store::open(std::move(options));
  if (!opened)
    return opened.why();
  audit_options how;
  how.now = wish.now;
  how.mode = audit_mode::stopped;
  how.grace_ms = wish.grace_ms;
  how.findings_max = wish.lost_max;
  to.audit = audit(**opened, how, {});
  return domain::done();
}

prognosis judge_files(const diagnosis& of) {
  if (!of.damage.empty() || !of.recovered || !of.acknowledged)
    return prognosis::damaged;
  if (*of.recovered < *of.acknowledged || of.seen_in_log > *of.recovered)
    return prognosis::rows_missing;
  if (of.refusal && of.dropped.empty())
    return prognosis::damaged; // by something else than a log's end
  return of.refusal ? prognosis::torn_tail : prognosis::whole;
}

status check_place(const engine& shared, const doctor_options& wish) {
  if (wish.repair_to.empty()
      || shared.env->FileExists(wish.repair_to).IsNotFound())
    return domain::done();
  return domain::fault{failure::invalid_request,
                       wish.repair_to + " is there already"};
}

/// The copy is made, read, and kept or removed.
status work_on_copy(engine& shared, const store_options& patient,
                    const doctor_options& wish, diagnosis& to) {
  auto room = make_room(shared, patient, wish);
  if (!room)
    return room.why();
  auto copy = patient;
  copy.directory = (*room)->path();
  if (auto s = shared.env->CreateDir(store_path(copy)); !s.ok())
    return to_fault("create " + store_path(copy), s);
  if (auto copied = copy_store(*shared.env->GetFileSystem(),
                               store_path(patient), store_path(copy));
      !copied)
    return copied;
  read_files(copy, wish, to);
  to.finding = judge_files(to);
  if (to.finding == prognosis::damaged) {
    if (to.refusal && to.damage.empty())
      to.damage.push_back(to.refusal->detail);
    return domain::done();
  }
  if (auto read = read_rows(copy, wish, to); !read)
    return read;
  if (to.finding == prognosis::rows_missing)
    return domain::done();
  if (!to.audit.clean())
    to.finding = prognosis::contradictory;
  else if (!wish.repair_to.empty()) {
    if (auto kept = (*room)->keep_as(wish.repair_to); !kept)
      return kept;
    to.repaired_to = wish.repair_to;
  }
  return domain::done();
}

} // namespace

std::string_view to_string(prognosis of) noexcept {
  switch (of) {
  case prognosis::whole: return "whole";
  case prognosis::torn_tail: return "torn_tail";
  case prognosis::rows_missing: return "rows_missing";
  case prognosis::contradictory: return "contradictory";
  case prognosis::damaged: return "damaged";
  }
  return "unknown";
}

outcome<diagnosis> examine(const store_options& patient,
                           const doctor_options& wish) {
  engine shared;
  shared.env = environment_of(patient);
  if (shared.env->FileExists(store_path(patient)).IsNotFound())
    return {failure::not_found, "no store in " + patient.directory};
  if (auto free = check_place(shared, wish); !free)
    return free.why();
  // To lock would create the file; without one nobody holds the directory.
  if (!shared.env->FileExists(patient.directory + "/lock").IsNotFound())
    if (auto locked = lock_directory(shared, patient); !locked)
      return locked.why();
  diagnosis found;
  const auto state = judge_directory(shared, patient);
  if (state && *state == directory_state::nothing)
    return {failure::not_found, "no store in " + patient.directory};
  if (state && *state == directory_state::unfinished)
    return found; // no rows yet: the next start completes it
  if (!state)
    found.refusal = state.why();
  if (found.refusal && found.refusal->code == failure::storage_format) {
    found.finding = prognosis::damaged; // another program's, or half of one
    found.damage.push_back(found.refusal->detail);
    return found;
  }
  read_witnesses(shared, patient, found);
  if (auto worked = work_on_copy(shared, patient, wish, found); !worked)
    return worked.why();
  return found;
}

} // namespace parcelflow::storage
