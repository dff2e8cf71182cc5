#include "domain/fulfillment.hpp"

#include "support/record.hpp"

namespace parcelflow::domain {
namespace {

constexpr std::uint8_t job_record = 1;

effect_answer start(const event& of, unix_ms now) {
  fulfillment_job job;
  job.fulfillment_id = "ful-" + of.envelope.aggregate_id;
  job.started_at = now;
  return effect_answer::apply(encode(job));
}

effect_answer close(fulfillment_job job, job_state to, unix_ms now) {
  if (job.state != job_state::started)
    return effect_answer::decline("the job is "
                                  + std::string(to_string(job.state)));
  job.state = to;
  job.closed_at = now;
  return effect_answer::apply(encode(job));
}

effect_answer fulfill(const event& of, const effect_context& context,
                      effect_rows&) {
  auto job = decode_job(context.effect);
  if (!job)
    return effect_answer::fail(job.why().detail);
  const auto& type = of.envelope.event_type;
  if (type == order_accepted) {
    if (*job)
      return effect_answer::decline("the order has its job already");
    return start(of, context.now);
  }
  if (!*job)
    return effect_answer::decline("the order has no job");
  return close(**job,
               type == order_cancelled ? job_state::cancelled
                                       : job_state::completed,
               context.now);
}

} // namespace

std::string_view to_string(job_state state) noexcept {
  switch (state) {
  case job_state::started: return "started";
  case job_state::completed: return "completed";
  case job_state::cancelled: return "cancelled";
  }
  return "unknown";
}

std::string encode(const fulfillment_job& job) {
  support::record_writer out(job_record);
  out.text(job.fulfillment_id)
    .choice(job.state)
    .i64(job.started_at)
    .i64(job.closed_at);
  return out.take();
}

outcome<std::optional<fulfillment_job>> decode_job(std::string_view bytes) {
  if (bytes.empty())
    return std::optional<fulfillment_job>{};
  support::record_reader in(bytes, job_record);
  fulfillment_job job;
  job.fulfillment_id = in.text();
  job.state = in.choice(job_state::started, job_state::cancelled);
  job.started_at = in.i64();
  job.closed_at = in.i64();
  if (!in.complete())
    return {failure::storage_corrupt, "job record does not parse"};
  return std::optional(job);
}

consumer_spec fulfillment_spec() {
  consumer_spec spec;
  spec.name = fulfillment_consumer;
  spec.topics = {std::string(order_topic)};
  spec.supported = {{std::string(order_accepted), 1},
                    {std::string(order_cancelled), 1},
                    {std::string(order_completed), 1}};
  spec.effect = fulfill;
  return spec;
}

consumer_spec fulfillment_v2_spec() {
  auto spec = fulfillment_spec();
  spec.name = fulfillment_v2_consumer;
  spec.supported.push_back({std::string(order_accepted), 2});
  spec.takes_over = fulfillment_consumer;
  return spec;
}

} // namespace parcelflow::domain
