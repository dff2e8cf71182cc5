// Events from outside: what is accepted is kept byte for byte, and is the same
// event when it is read again.
#include "codec/event_json.hpp"
#include "support/assert.hpp"
#include "tests/fuzz/targets.hpp"

namespace parcelflow::fuzz {

void envelope(std::string_view input) {
  (void)codec::tenant_named_in(input);
  const auto event = codec::decode_event(input);
  if (!event)
    return;
  PF_ASSERT((*event)->bytes == input);
  const auto again = codec::decode_event((*event)->bytes);
  PF_ASSERT(again.ok() && (*again)->digest == (*event)->digest);
}

} // namespace parcelflow::fuzz
