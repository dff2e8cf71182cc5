// What happens in one simulated life, drawn from a seed before it begins: a
// list of acts of clients, responders, the network, the disk and fate. Each act
// draws what it needs from its own source, so that leaving some out changes
// none of the others: that is what shrinking does.
// Thread rule: plain values.
#pragma once

#include "tests/simulation/broker.hpp"
#include "tests/simulation/chance.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace parcelflow::simulation {

enum class act_kind : std::uint8_t {
  place,      ///< a new order
  repeat,     ///< an old key again, sometimes with another body
  cancel,     ///< or complete, of a confirmed order
  complete,   //
  pause,      ///< a responder holds something back, or lets it go
  replay,     ///< plans and executes what one tenant has open
  waive,      ///< one record that stands aside, or whatever is refused
  skip,       ///< the head or hole of one stream that waits
  resend,     ///< asks for events of one stream again
  foreign,    ///< an event of no order of ours, or a fork of one
  poison,     ///< an effect fails from now on, or is well again
  wire,       ///< the broker's mood changes
  pass,       ///< time goes by
  wall,       ///< the wall clock is set
  flush,      ///< memtables become tables, compactions run
  rest,       ///< everything that can be done is done
  crash,      ///< now, or armed to strike later
  disk_fails, ///< one change of the disk is refused, or room runs out
  slow_sync,  ///< one sync takes long
};
inline constexpr std::size_t act_kinds = 19;

[[nodiscard]] std::string_view to_string(act_kind kind) noexcept;

struct act {
  act_kind kind = act_kind::pass;
  std::uint64_t number = 0; ///< in the whole schedule; its source of chance
};

/// What the whole run keeps to.
struct setting {
  bool simulated_broker = false; ///< else the embedded log
  bool per_owner = false;        ///< split batches
  bool version_two = false; ///< one tenant's orders are announced as v2, which
                            ///< consumers learn only at the end
  std::uint32_t log_duplicate = 0; ///< faults of the embedded log's decorator
  std::uint32_t log_reorder = 0;
  std::uint32_t log_fail = 0;
};

struct schedule {
  std::uint64_t seed = 0;
  setting how;
  std::vector<act> acts;
};

[[nodiscard]] schedule draw_schedule(std::uint64_t seed);
/// Only the acts of those numbers, in their order.
[[nodiscard]] schedule only(const schedule& of,
                            const std::vector<std::uint64_t>& numbers);

/// "3,7-9,12" and back; nothing if it is not such a list.
[[nodiscard]] std::string to_text(const std::vector<std::uint64_t>& numbers);
[[nodiscard]] std::vector<std::uint64_t> parse_numbers(std::string_view text);

} // namespace parcelflow::simulation
