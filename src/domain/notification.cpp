#include "domain/notification.hpp"

#include "support/record.hpp"

#include <algorithm>

namespace parcelflow::domain {
namespace {

constexpr std::uint8_t sends_record = 1;

std::string_view template_of(std::string_view event_type) {
  if (event_type == order_accepted)
    return confirmation_template;
  if (event_type == order_cancelled)
    return cancellation_template;
  return {};
}

effect_answer notify(const event& of, const effect_context& context,
                     effect_rows&) {
  auto sends = decode_sends(context.effect);
  if (!sends)
    return effect_answer::fail(sends.why().detail);
  const auto name = template_of(of.envelope.event_type);
  if (name.empty()) // a completion is not announced
    return effect_answer::apply(std::string(context.effect));
  const bool sent =
    std::any_of(sends->begin(), sends->end(),
                [&](const auto& send) { return send.template_name == name; });
  if (sent)
    return effect_answer::decline(std::string(name) + " was sent already");
  sends->push_back({std::string(name),
                    "ntf-" + of.envelope.aggregate_id + "-" + std::string(name),
                    context.now});
  return effect_answer::apply(encode(*sends));
}

} // namespace

std::string encode(const std::vector<notification_send>& sends) {
  support::record_writer out(sends_record);
  out.u64(sends.size());
  for (const auto& send : sends)
    out.text(send.template_name).text(send.notification_id).i64(send.at);
  return out.take();
}

outcome<std::vector<notification_send>> decode_sends(std::string_view bytes) {
  std::vector<notification_send> sends;
  if (bytes.empty())
    return sends;
  support::record_reader in(bytes, sends_record);
  sends.resize(in.count());
  for (auto& send : sends) {
    send.template_name = in.text();
    send.notification_id = in.text();
    send.at = in.i64();
  }
  if (!in.complete())
    return {failure::storage_corrupt, "sends record does not parse"};
  return sends;
}

consumer_spec notification_spec() {
  consumer_spec spec;
  spec.name = notification_consumer;
  spec.topics = {std::string(order_topic)};
  spec.supported = {{std::string(order_accepted), 1},
                    {std::string(order_cancelled), 1},
                    {std::string(order_completed), 1}};
  spec.effect = notify;
  return spec;
}

} // namespace parcelflow::domain
