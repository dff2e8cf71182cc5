#include "codec/value_rules.hpp"

#include "codec/order_json.hpp"

#include <string>
#include <unordered_set>

namespace parcelflow::codec {

std::vector<domain::order_line> read_lines(member_reader& members,
                                           const line_limits& limits) {
  std::vector<domain::order_line> lines;
  const auto* array = members.array("lines", limits.lines_max);
  if (array == nullptr)
    return lines;
  lines.reserve(array->size());
  std::unordered_set<std::string_view> skus;
  for (const auto& element : *array) {
    member_reader line(element, domain::failure::invalid_request,
                       members.path_of("lines") + "["
                         + std::to_string(lines.size()) + "]");
    if (!limits.unknown_members)
      line.only({"sku", "quantity", "unitPriceMinor"});
    auto& read = lines.emplace_back();
    read.sku = line.text("sku", public_id_rule);
    read.quantity = line.integer("quantity", 1, limits.quantity_max);
    read.unit_price_minor =
      line.integer("unitPriceMinor", 0, unit_price_minor_max);
    if (!line.failed() && !skus.insert(read.sku).second)
      line.fail(line.path_of("sku") + " stands in another line too");
    if (line.failed()) {
      members.fail(line.why().detail);
      break;
    }
  }
  return lines;
}

} // namespace parcelflow::codec
