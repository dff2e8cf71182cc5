#include "tests/codec/samples.hpp"

#include "codec/order_json.hpp"

#include <array>
#include <limits>
#include <string_view>

namespace parcelflow::test {

using nlohmann::json;

domain::order sample_order() {
  domain::order of;
  of.tenant_id = "acme";
  of.order_id = "ord-01KB9V6W2S8Q4M7T3X5Z1N0C8E";
  of.reservation_id = "rsv-01KB9V6W2S8Q4M7T3X5Z1N0C8E";
  of.authorization = {.id = "auth-01KB9V6W2S8Q4M7T3X5Z1N0C8E",
                      .amount_minor = 7400,
                      .at = 1'796'065'199'000,
                      .voided_at = 0};
  of.lines = {{"sku-red-mug", 2, 1250}, {"sku-teapot", 1, 4900}};
  of.currency = "EUR";
  of.total_minor = 7400;
  of.customer_reference = "PO-4711";
  of.steps = {{domain::order_state::accepted, 1, 1, 1'796'065'200'000}};
  return of;
}

domain::envelope sample_envelope() {
  domain::envelope of;
  of.event_id = "evt-01KB9V6W2S8Q4M7T3X5Z1N0C8E-1";
  of.event_type = "OrderAccepted";
  of.event_version = 1;
  of.tenant_id = "acme";
  of.aggregate_id = "ord-01KB9V6W2S8Q4M7T3X5Z1N0C8E";
  of.aggregate_sequence = 1;
  of.occurred_at = "2026-11-30T19:00:00.000Z";
  of.trace_id = "4bf92f3577b34da6a3ce929d0e0e4736";
  of.traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  of.data = codec::accepted_data(sample_order());
  return of;
}

json sample_body() {
  return json::parse(R"({
    "lines": [{"sku": "sku-red-mug", "quantity": 2, "unitPriceMinor": 1250},
              {"sku": "sku-teapot", "quantity": 1, "unitPriceMinor": 4900}],
    "currency": "EUR", "paymentToken": "tok_ok",
    "customerReference": "PO-4711"})");
}

std::string hostile_text(std::mt19937_64& random) {
  constexpr std::array<std::string_view, 20> pieces = {"\"",
                                                       "\\",
                                                       "\\u0000",
                                                       "/",
                                                       "\n",
                                                       "\x01",
                                                       "\x1f",
                                                       "\x7f",
                                                       "\b\f\r\t",
                                                       "{\"data\":1}",
                                                       "]}",
                                                       ",",
                                                       ":",
                                                       "é",
                                                       "\xE2\x80\xA8",
                                                       "\xF0\x9F\x98\x80",
                                                       "\xEF\xBF\xBF",
                                                       "data",
                                                       "a",
                                                       "</script>"};
  std::string text;
  for (auto left = random() % 8; left > 0; --left)
    text += pieces[random() % pieces.size()];
  return text;
}

json hostile_value(std::mt19937_64& random, int depth) {
  switch (random() % (depth > 0 ? 8 : 6)) {
  case 0: return nullptr;
  case 1: return random() % 2 == 0;
  case 2: return std::numeric_limits<std::int64_t>::min();
  case 3: return std::numeric_limits<std::uint64_t>::max();
  case 4: return -1.5e-7;
  case 5: return hostile_text(random);
  case 6: {
    auto array = json::array();
    for (auto left = random() % 4; left > 0; --left)
      array.push_back(hostile_value(random, depth - 1));
    return array;
  }
  default: {
    auto object = json::object();
    for (auto left = random() % 4; left > 0; --left)
      object[hostile_text(random)] = hostile_value(random, depth - 1);
    return object;
  }
  }
}

} // namespace parcelflow::test
