// Orders and stock from outside.
#include "codec/order_json.hpp"
#include "support/assert.hpp"
#include "tests/fuzz/targets.hpp"

namespace parcelflow::fuzz {

void order(std::string_view input) {
  (void)codec::parse_on_hand(input);
  const auto request = codec::parse_order(input);
  if (!request)
    return;
  PF_ASSERT(!request->lines.empty());
  for (const auto& line : request->lines)
    PF_ASSERT(line.quantity > 0 && line.unit_price_minor >= 0);
}

} // namespace parcelflow::fuzz
