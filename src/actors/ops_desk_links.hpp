// The actors behind the desk; for wiring and ops_desk.cpp only.
#pragma once

#include "actors/interfaces.hpp"
#include "actors/ops_desk.hpp"
#include "actors/verdict_feed.hpp"

#include <memory>

namespace parcelflow::actors {

struct ops_desk::links {
  dead_letter_actor dead_letters;
  planner_actor planner;
  std::shared_ptr<verdict_feed> feed;
};

} // namespace parcelflow::actors
