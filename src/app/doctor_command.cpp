#include "app/doctor_command.hpp"

#include "app/doctor_report.hpp"
#include "app/exit_codes.hpp"
#include "app/wiring_limits.hpp"
#include "storage/doctor.hpp"
#include "support/clock.hpp"

#include <iostream>

namespace parcelflow::app {

int examine_directory(const loaded_config& loaded, const doctor_wish& wish) {
  using storage::prognosis;
  const auto& directory = loaded.values.data.directory;
  storage::doctor_options how;
  how.work_directory = wish.work_directory;
  how.repair_to = wish.repair_to;
  how.now = support::system_clock().now();
  how.grace_ms = loaded.values.audit.grace_ms.count();
  const auto found = storage::examine(store_options_of(loaded.values), how);
  if (!found) {
    std::cerr << "parcelflow: " << found.why().detail << "\n";
    return exit_code_of(found.why().code);
  }
  std::cout << (wish.json ? diagnosis_json(*found, directory) + "\n"
                          : diagnosis_text(*found, directory));
  const bool well =
    found->finding == prognosis::whole
    || (found->finding == prognosis::torn_tail && !found->repaired_to.empty());
  return well ? exit_ok : exit_findings;
}

} // namespace parcelflow::app
