// Named crash points. `fault_point("order.after_commit")` does nothing unless
// that point is armed, and compiles to nothing unless the build defines
// PARCELFLOW_FAULT_POINTS. An armed point kills the process with SIGKILL at
// its n-th passage, just as a power cut of the process would.
// Thread rule: arm once before the actors start; pass from any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace parcelflow::support {

/// Every name that can be armed, in the order of one order's way.
[[nodiscard]] const std::vector<std::string_view>& fault_point_names();

/// Arms `name` so that its `countdown`-th passage (from 1) strikes. False if
/// no such point exists or this build has none.
bool arm_fault_point(std::string_view name, std::uint64_t countdown);

/// What an armed point does when it strikes; SIGKILL by default. For tests.
void on_fault_point(std::function<void(std::string_view)> strike);

#ifdef PARCELFLOW_FAULT_POINTS
void fault_point(std::string_view name);
#else
inline void fault_point(std::string_view) {}
#endif

} // namespace parcelflow::support
