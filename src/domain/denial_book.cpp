#include "domain/denial_book.hpp"

namespace parcelflow::domain {

void denial_book::note(denial what, unix_ms now, const denial_listener& tell) {
  tell_due(now, tell);
  pair who{std::move(what.actor), std::move(what.verb)};
  if (entries_.size() >= pairs_max && !entries_.contains(who))
    who = {"(others)", ""};
  auto& of = entries_[who];
  of.tenant = std::move(what.tenant);
  of.untold += 1;
  if (now < of.next_at)
    return;
  tell({who.first, of.tenant, who.second, of.untold});
  of.untold = 0;
  of.next_at = now + pause_ms;
}

void denial_book::tell_due(unix_ms now, const denial_listener& tell) {
  for (auto at = entries_.begin(); at != entries_.end();) {
    auto& [who, of] = *at;
    if (now < of.next_at) {
      ++at;
    } else if (of.untold == 0) {
      at = entries_.erase(at);
    } else {
      tell({who.first, of.tenant, who.second, of.untold});
      of.untold = 0;
      of.next_at = now + pause_ms;
      ++at;
    }
  }
}

} // namespace parcelflow::domain
