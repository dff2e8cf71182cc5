#include "actors/gateway.hpp"

#include "actors/gateway_links.hpp"

#include <caf/send.hpp>

namespace parcelflow::actors {

gateway::gateway(std::unique_ptr<links> to) : to_(std::move(to)) {}
gateway::~gateway() = default;

void gateway::place(domain::order_request request,
                    std::function<void(place_answer)> answer) {
  auto message = std::make_shared<place_order>();
  message->request = std::move(request);
  message->answer = std::move(answer);
  caf::anon_send(to_->order, place_atom::value, std::move(message));
}

void gateway::command(
  cancel_or_complete what,
  std::function<void(domain::outcome<command_answer>)> answer) {
  auto message = std::make_shared<order_command>();
  message->tenant_id = std::move(what.tenant_id);
  message->order_id = std::move(what.order_id);
  message->command = what.command;
  message->trace_id = std::move(what.trace_id);
  message->traceparent = std::move(what.traceparent);
  message->answer = std::move(answer);
  caf::anon_send(to_->order, command_atom::value, std::move(message));
}

void gateway::set_stock(
  std::string tenant_id, std::string sku, std::int64_t on_hand,
  std::function<void(domain::outcome<domain::stock>)> answer) {
  auto message = std::make_shared<actors::set_stock>();
  message->tenant_id = std::move(tenant_id);
  message->sku = std::move(sku);
  message->on_hand = on_hand;
  message->answer = std::move(answer);
  caf::anon_send(to_->inventory, stock_atom::value, std::move(message));
}

void gateway::audit(
  std::function<void(std::shared_ptr<const domain::audit_report>)> answer) {
  caf::anon_send(to_->auditor, audit_atom::value,
                 std::make_shared<audit_request>(std::move(answer)));
}

} // namespace parcelflow::actors
