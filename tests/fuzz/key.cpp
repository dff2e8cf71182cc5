// Keys of rows: a key that reads whole is the one that its parts write. The
// first byte says which parts: two bits each, from the lowest.
#include "storage/keys.hpp"
#include "support/assert.hpp"
#include "tests/fuzz/targets.hpp"

namespace parcelflow::fuzz {

void key(std::string_view input) {
  const auto shape = choice(input);
  if (input.empty())
    return;
  storage::key_reader in(input);
  storage::key_writer out(static_cast<storage::kind>(in.kind_byte()));
  for (auto left = shape; left != 0; left >>= 2U)
    if ((left & 3U) == 1)
      out.text(in.text());
    else if ((left & 3U) == 2)
      out.number(in.number());
    else if ((left & 3U) == 3)
      out.byte(in.byte());
  if (in.complete())
    PF_ASSERT(out.take() == input);
}

} // namespace parcelflow::fuzz
