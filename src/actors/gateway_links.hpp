// The actors behind the gateway; for wiring and gateway.cpp only.
#pragma once

#include "actors/gateway.hpp"
#include "actors/interfaces.hpp"

namespace parcelflow::actors {

struct gateway::links {
  order_actor order;
  inventory_actor inventory;
  auditor_actor auditor;
};

} // namespace parcelflow::actors
