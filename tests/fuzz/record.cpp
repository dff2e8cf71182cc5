// Records of rows: the first byte chooses the decoder. What it accepts, it
// reads the same from what it writes.
#include "domain/dead_letter.hpp"
#include "domain/fulfillment.hpp"
#include "domain/inventory.hpp"
#include "domain/notification.hpp"
#include "domain/operator_log.hpp"
#include "domain/order.hpp"
#include "domain/pause.hpp"
#include "domain/replay.hpp"
#include "domain/sequence_rule.hpp"
#include "storage/consumer_store.hpp"
#include "storage/outbox.hpp"
#include "support/assert.hpp"
#include "tests/fuzz/targets.hpp"

namespace parcelflow::fuzz {
namespace {

template <class Decode>
void round_trip(std::string_view input, Decode decode) {
  const auto row = decode(input);
  if (!row)
    return;
  const auto again = decode(encode(*row));
  PF_ASSERT(again.ok() && *again == *row);
}

} // namespace

void record(std::string_view input) {
  using namespace domain;
  using namespace storage;
  const auto which = choice(input);
  switch (which % 18) {
  case 0: return round_trip(input, decode_stock);
  case 1: return round_trip(input, decode_reservation);
  case 2: return round_trip(input, decode_stream);
  case 3: return round_trip(input, decode_inbox_entry);
  case 4: return round_trip(input, decode_replay_item);
  case 5: return round_trip(input, decode_pause);
  case 6: return round_trip(input, decode_room);
  case 7: return round_trip(input, decode_skip);
  case 8: return (void)decode_place(input);
  case 9: return (void)decode_outbox(input);
  case 10: return (void)decode_key(input);
  case 11: return (void)decode_receipt_run(input);
  case 12: return (void)decode_held_stream(input);
  case 13: return (void)decode_job(input);
  case 14: return (void)decode_sends(input);
  case 15: return (void)decode_log_entry(1, input);
  case 16: return (void)decode_tell("tn-a", "dl-1", input);
  default:
    (void)decode_order("tn-a", "ord-1", input);
    (void)decode_dead_letter("tn-a", "dl-1", input);
    (void)decode_replay("tn-a", "rpl-1", input);
  }
}

} // namespace parcelflow::fuzz
