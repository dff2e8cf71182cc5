#include "tests/simulation/schedule.hpp"

#include <algorithm>
#include <charconv>

namespace parcelflow::simulation {
namespace {

constexpr std::string_view names[act_kinds] = {
  "place", "repeat", "cancel",  "complete",   "pause",    "replay", "waive",
  "skip",  "resend", "foreign", "poison",     "wire",     "pass",   "wall",
  "flush", "rest",   "crash",   "disk_fails", "slow_sync"};

/// How often each kind comes; drawn anew for each seed, so that seeds differ
/// in what they stress. Crashes are few and certain.
std::vector<act_kind> draw_mix(chance& draw) {
  std::vector<act_kind> mix;
  const auto add = [&](act_kind kind, std::uint64_t weight) {
    for (std::uint64_t i = 0; i < weight; ++i)
      mix.push_back(kind);
  };
  add(act_kind::place, draw.between(10, 30));
  add(act_kind::repeat, draw.below(6));
  add(act_kind::cancel, draw.below(5));
  add(act_kind::complete, draw.below(4));
  add(act_kind::pass, draw.between(4, 14));
  add(act_kind::rest, draw.below(5));
  add(act_kind::flush, draw.below(3));
  // Each of these is absent from some seeds, which then stress the others.
  for (const auto kind :
       {act_kind::pause, act_kind::replay, act_kind::waive, act_kind::skip,
        act_kind::resend, act_kind::foreign, act_kind::poison, act_kind::wire,
        act_kind::disk_fails, act_kind::slow_sync})
    if (draw.percent(55))
      add(kind, draw.between(1, 4));
  if (draw.percent(10))
    add(act_kind::wall, 1);
  return mix;
}

} // namespace

std::string_view to_string(act_kind kind) noexcept {
  return names[static_cast<std::size_t>(kind)];
}

schedule draw_schedule(std::uint64_t seed) {
  chance draw(seed);
  schedule made;
  made.seed = seed;
  made.how.simulated_broker = draw.percent(50);
  made.how.per_owner = draw.percent(30);
  made.how.version_two = draw.percent(25);
  if (draw.percent(40))
    made.how.log_duplicate = static_cast<std::uint32_t>(draw.between(2, 9));
  if (draw.percent(25))
    made.how.log_reorder = static_cast<std::uint32_t>(draw.between(3, 9));
  if (draw.percent(25))
    made.how.log_fail = static_cast<std::uint32_t>(draw.between(4, 12));
  const auto mix = draw_mix(draw);
  const auto length = draw.between(50, 110);
  // At least four crashes, at places of their own.
  std::vector<std::uint64_t> crashes;
  for (std::uint64_t i = draw.between(4, 6); i > 0; --i)
    crashes.push_back(draw.between(5, length - 1));
  for (std::uint64_t number = 0; number < length; ++number) {
    const bool crash =
      std::find(crashes.begin(), crashes.end(), number) != crashes.end();
    made.acts.push_back({crash ? act_kind::crash : draw.pick(mix), number});
  }
  return made;
}

schedule only(const schedule& of, const std::vector<std::uint64_t>& numbers) {
  schedule kept = of;
  std::erase_if(kept.acts, [&](const act& one) {
    return std::find(numbers.begin(), numbers.end(), one.number)
           == numbers.end();
  });
  return kept;
}

std::string to_text(const std::vector<std::uint64_t>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    auto last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1)
      ++last;
    text += (text.empty() ? "" : ",") + std::to_string(numbers[i]);
    if (last > i)
      text += "-" + std::to_string(numbers[last]);
    i = last + 1;
  }
  return text;
}

std::vector<std::uint64_t> parse_numbers(std::string_view text) {
  std::vector<std::uint64_t> numbers;
  while (!text.empty()) {
    const auto comma = std::min(text.find(','), text.size());
    const auto part = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    std::uint64_t first = 0;
    const auto* end = part.data() + part.size();
    const auto read = std::from_chars(part.data(), end, first);
    std::uint64_t last = first;
    if (read.ec == std::errc() && read.ptr != end && *read.ptr == '-')
      std::from_chars(read.ptr + 1, end, last);
    for (auto n = first; n <= last; ++n)
      numbers.push_back(n);
  }
  return numbers;
}

} // namespace parcelflow::simulation
