#include "actors/history.hpp"

#include "codec/event_json.hpp"
#include "storage/consumer_store.hpp"
#include "storage/keys.hpp"
#include "storage/outbox.hpp"
#include "support/log.hpp"
#include "support/record.hpp"

namespace parcelflow::actors {

namespace log = support::log;

namespace {

constexpr std::uint8_t history_record = 1;

} // namespace

std::string encode(const history_row& row) {
  return support::record_writer(history_record)
    .u64(row.next)
    .flag(row.done)
    .take();
}

domain::outcome<history_row> decode_history(std::string_view bytes) {
  support::record_reader in(bytes, history_record);
  history_row row;
  row.next = in.u64();
  row.done = in.flag();
  if (!in.complete())
    return {domain::failure::storage_corrupt, "history record does not parse"};
  return row;
}

history::history(consumer& of, storage::family& rows,
                 const storage::store& store, const support::clock& clock,
                 support::metrics& metrics, history_limits limits)
  : consumer_(of), rows_(rows), store_(store), clock_(clock), limits_(limits) {
  const auto& name = of.spec().name;
  next_now_ = metrics.gauge("parcelflow_history_position",
                            "Outbox position that a later consumer came to",
                            {{"consumer", name}});
  upto_now_ = metrics.gauge("parcelflow_history_end",
                            "Outbox position where its own time begins",
                            {{"consumer", name}});
  if (const auto bytes = rows_.get(storage::history_key(name))) {
    auto row = decode_history(*bytes);
    if (!row)
      storage::corrupt_row("history", row.why());
    row_ = *row;
  }
}

void history::begin() {
  upto_ = 0;
  const auto from = storage::outbox_key(storage::the_lane, 0);
  const auto upper = storage::outbox_key(storage::the_lane + 1, 0);
  if (const auto last =
        store_.read().last(storage::owner::order, from, upper)) {
    storage::key_reader at(last->first);
    at.byte();
    upto_ = at.number();
  }
  upto_now_.set(static_cast<double>(*upto_));
  log::info("consumer", "walking through the time before",
            {{"consumer", consumer_.spec().name},
             {"next", row_.next},
             {"upto", *upto_}});
}

bool history::step(support::unix_ms now) {
  if (row_.done || !upto_ || due_at_ > now)
    return false;
  std::size_t taken = 0;
  const auto upper = storage::outbox_key(storage::the_lane, *upto_ + 1);
  store_.read().scan(storage::owner::order,
                     storage::outbox_key(storage::the_lane, row_.next), upper,
                     [&](std::string_view, std::string_view value) {
                       take(value);
                       row_.next += 1;
                       return ++taken < limits_.slice_events;
                     });
  row_.done = row_.next > *upto_;
  rows_.put(storage::history_key(consumer_.spec().name), encode(row_));
  next_now_.set(static_cast<double>(row_.next));
  if (limits_.rate_per_s > 0)
    due_at_ =
      now + static_cast<support::unix_ms>(taken * 1000 / limits_.rate_per_s);
  return row_.done;
}

void history::take(std::string_view value) {
  const auto row = storage::decode_outbox(value);
  if (!row)
    storage::corrupt_row("outbox", row.why());
  const auto event = codec::decode_event(row->bytes);
  if (!event || (*event)->digest != row->digest)
    storage::corrupt_row("outbox", {domain::failure::storage_corrupt,
                                    "the event does not match its digest"});
  if (consumer_.spec().start == domain::start_at::from_history)
    consumer_.take_from_history(*event);
  else
    consumer_.mark_before(*event);
}

} // namespace parcelflow::actors
