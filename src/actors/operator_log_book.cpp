#include "actors/operator_log_book.hpp"

#include "codec/log_chain.hpp"
#include "storage/consumer_store.hpp"
#include "storage/keys.hpp"

namespace parcelflow::actors {

operator_log_book::operator_log_book(storage::family& rows,
                                     const support::clock& clock)
  : rows_(rows), clock_(clock) {
  const auto from = storage::key_writer(storage::kind::operator_log).take();
  const auto last = rows_.last(from, storage::prefix_end(from));
  if (!last)
    return;
  storage::key_reader at(last->first);
  const auto entry = domain::decode_log_entry(at.number(), last->second);
  if (!entry)
    storage::corrupt_row("operator log", entry.why());
  length_ = entry->position;
  head_ = entry->digest;
}

std::uint64_t operator_log_book::append(domain::log_entry entry) {
  entry.position = ++length_;
  entry.at = clock_.now();
  entry.previous = head_;
  entry.digest = codec::chain_digest(entry);
  head_ = entry.digest;
  rows_.put(storage::operator_log_key(entry.position), domain::encode(entry));
  return entry.position;
}

} // namespace parcelflow::actors
