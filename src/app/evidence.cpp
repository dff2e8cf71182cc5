#include "app/evidence.hpp"

#include "app/exit_codes.hpp"
#include "app/wiring_limits.hpp"
#include "codec/view_json.hpp"
#include "storage/status_view.hpp"
#include "support/clock.hpp"
#include "support/digest.hpp"

#include <filesystem>
#include <iostream>

namespace parcelflow::app {
namespace {

int refuse(const domain::fault& why) {
  std::cerr << "parcelflow: " << why.detail << "\n";
  return exit_code_of(why.code);
}

class evidence_printer {
public:
  evidence_printer(const storage::store& store, const loaded_config& loaded)
    : view_(store), sealer_(support::random_bytes(32)) {
    frame_.actor = "offline";
    frame_.environment = loaded.values.profile.name;
    frame_.now = support::system_clock().now();
    frame_.counted_since = frame_.now;
  }

  int one(const std::string& tenant, const std::string& order_id) const {
    const auto found = view_.evidence(tenant, order_id, frame_.now);
    if (!found)
      return refuse(found.why());
    const codec::viewer who{domain::role::admin, &sealer_};
    std::cout << codec::evidence_json(*found, frame_, who) << "\n";
    return exit_ok;
  }

  int all(const std::string& tenant) const {
    storage::page_request page;
    do {
      const auto found = view_.orders(tenant, {}, page);
      if (!found)
        return refuse(found.why());
      for (const auto& order : found->items)
        if (const int code = one(tenant, order.order.order_id); code != exit_ok)
          return code;
      page.after = found->next;
    } while (!page.after.empty());
    return exit_ok;
  }

private:
  storage::status_view view_;
  codec::cursor_sealer sealer_;
  codec::evidence_frame frame_;
};

} // namespace

int print_evidence(const loaded_config& loaded, const std::string& tenant,
                   const std::string& order_id) {
  const auto& directory = loaded.values.data.directory;
  if (!std::filesystem::exists(directory + "/store/CURRENT"))
    return refuse({domain::failure::not_found, "no store in " + directory});
  auto options = store_options_of(loaded.values);
  options.create = false;
  auto store = storage::store::open(std::move(options));
  if (!store)
    return refuse(store.why());
  const evidence_printer print(**store, loaded);
  return order_id.empty() ? print.all(tenant) : print.one(tenant, order_id);
}

} // namespace parcelflow::app
