// What callers hear back, free of any actor type, so that the door can know it.
// Thread rule: plain values.
#pragma once

#include "domain/failure.hpp"
#include "domain/order.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace parcelflow::actors {

/// The answer to a placed order.
struct place_answer {
  enum class kind : std::uint8_t { accepted, pending, refused };
  kind what = kind::refused;
  std::shared_ptr<const domain::order> order; ///< accepted
  std::string order_id;                       ///< accepted, pending
  bool repeated = false; ///< the first answer of this key, given again
  domain::fault why;     ///< refused
};

struct command_answer {
  std::shared_ptr<const domain::order> order;
  bool repeated = false;
};

} // namespace parcelflow::actors
