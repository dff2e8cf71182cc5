#include "storage/letter_counts.hpp"

#include "support/assert.hpp"
#include "support/record.hpp"

#include <algorithm>

namespace parcelflow::storage {

using domain::dead_letter_cause;
using domain::dead_letter_state;

namespace {

constexpr std::uint8_t counts_record = 1;

} // namespace

std::size_t letter_counts::place_of(const domain::event_kind& kind) const {
  const auto at = std::find(kinds_.begin(), kinds_.end(), kind);
  return at == kinds_.end() ? 0
                            : static_cast<std::size_t>(at - kinds_.begin()) + 1;
}

letter_counts::cell
letter_counts::cell_of(const domain::dead_letter& letter) const {
  return {letter.consumer, letter.cause, letter.state(),
          place_of({letter.event_type, letter.event_version})};
}

void letter_counts::move(const domain::dead_letter* from,
                         const domain::dead_letter* to) {
  if (from != nullptr) {
    const auto left = cells_.find(cell_of(*from));
    PF_ASSERT(left != cells_.end());
    if (--left->second == 0)
      cells_.erase(left);
  }
  if (to == nullptr)
    return;
  const domain::event_kind kind{to->event_type, to->event_version};
  if (place_of(kind) == 0 && kinds_.size() < kinds_max
      && kind.type.size() <= type_bytes_max)
    kinds_.push_back(kind);
  ++cells_[cell_of(*to)];
}

std::optional<std::uint64_t>
letter_counts::total(const domain::dead_letter_filter& of) const {
  if (of.since != 0 || of.until != 0 || !of.aggregate_id.empty()
      || !of.text.empty())
    return std::nullopt;
  const bool by_kind = !of.event_type.empty() || of.event_version;
  const bool apart = !of.event_type.empty() && of.event_version
                     && place_of({of.event_type, *of.event_version}) != 0;
  std::uint64_t sum = 0;
  for (const auto& [where, count] : cells_) {
    if ((of.state && where.state != *of.state)
        || (of.cause && where.cause != *of.cause)
        || (!of.consumer.empty() && where.consumer != of.consumer))
      continue;
    if (by_kind && where.kind == 0) {
      if (apart)
        continue;
      return std::nullopt;
    }
    if (by_kind) {
      const auto& kind = kinds_[where.kind - 1];
      if ((!of.event_type.empty() && kind.type != of.event_type)
          || (of.event_version && kind.version != *of.event_version))
        continue;
    }
    sum += count;
  }
  return sum;
}

std::string encode(const letter_counts& of) {
  support::record_writer out(counts_record);
  out.u64(of.kinds_.size());
  for (const auto& kind : of.kinds_)
    out.text(kind.type).u64(kind.version);
  out.u64(of.cells_.size());
  for (const auto& [where, count] : of.cells_)
    out.text(where.consumer)
      .choice(where.cause)
      .choice(where.state)
      .u64(where.kind)
      .u64(count);
  return out.take();
}

domain::outcome<letter_counts> decode_letter_counts(std::string_view bytes) {
  support::record_reader in(bytes, counts_record);
  letter_counts of;
  of.kinds_.resize(in.count());
  for (auto& kind : of.kinds_) {
    kind.type = in.text();
    kind.version = in.u32();
  }
  bool sound = of.kinds_.size() <= letter_counts::kinds_max;
  for (auto cells = in.count(); cells > 0; --cells) {
    letter_counts::cell where;
    where.consumer = in.text();
    where.cause = in.choice(dead_letter_cause::sequence_gap,
                            dead_letter_cause::publish_refused);
    where.state = in.choice(dead_letter_state::open, dead_letter_state::waived);
    where.kind = static_cast<std::size_t>(in.u64());
    const auto count = in.u64();
    sound = sound && where.kind <= of.kinds_.size() && count > 0
            && of.cells_.emplace(std::move(where), count).second;
  }
  if (!in.complete() || !sound)
    return {domain::failure::storage_corrupt,
            "counts of dead letters do not parse"};
  return of;
}

} // namespace parcelflow::storage
