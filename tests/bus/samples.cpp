#include "tests/bus/samples.hpp"

#include "codec/event_json.hpp"

namespace parcelflow::test {

domain::event_ptr sample_event(const std::string& aggregate,
                               std::uint64_t sequence) {
  domain::envelope of;
  of.event_id = "evt-" + aggregate + "." + std::to_string(sequence);
  of.event_type = std::string(domain::order_accepted);
  of.event_version = 1;
  of.tenant_id = "acme";
  of.aggregate_id = aggregate;
  of.aggregate_sequence = sequence;
  of.occurred_at = "2026-11-30T19:00:00.000Z";
  of.trace_id = "4bf92f3577b34da6a3ce929d0e0e4736";
  of.data = R"({"note":"a sample"})";
  return codec::make_event(std::move(of));
}

std::vector<bus::offered> sample_batch(const std::string& aggregate,
                                       std::uint64_t first,
                                       std::uint64_t last) {
  std::vector<bus::offered> batch;
  for (auto sequence = first; sequence <= last; ++sequence)
    batch.push_back({sample_event(aggregate, sequence), 0});
  return batch;
}

std::string name_of(const bus::delivery& one) {
  if (one.event == nullptr)
    return "?";
  const auto& of = one.event->envelope;
  return of.aggregate_id + "/" + std::to_string(of.aggregate_sequence);
}

bus::delivery_sink recording_sink::sink() const {
  return [to = state_](const auto& batch) {
    const std::scoped_lock lock(to->mutex);
    to->seen.insert(to->seen.end(), batch->begin(), batch->end());
  };
}

std::vector<bus::delivery> recording_sink::seen() const {
  const std::scoped_lock lock(state_->mutex);
  return state_->seen;
}

std::vector<std::string> recording_sink::names() const {
  std::vector<std::string> names;
  for (const auto& one : seen())
    names.push_back(name_of(one));
  return names;
}

std::size_t recording_sink::count() const {
  const std::scoped_lock lock(state_->mutex);
  return state_->seen.size();
}

std::vector<bus::settled> recording_sink::all(bus::settlement how) const {
  std::vector<bus::settled> all;
  for (const auto& one : seen())
    all.push_back({one.token, how});
  return all;
}

bus::publish_done recording_done::done() const {
  return [to = state_](std::vector<bus::publish_result> results) {
    const std::scoped_lock lock(to->mutex);
    ++to->calls;
    to->results = std::move(results);
  };
}

bool recording_done::came() const {
  return calls() > 0;
}

std::size_t recording_done::calls() const {
  const std::scoped_lock lock(state_->mutex);
  return state_->calls;
}

std::vector<bus::publish_result> recording_done::results() const {
  const std::scoped_lock lock(state_->mutex);
  return state_->results;
}

std::size_t recording_done::accepted() const {
  std::size_t accepted = 0;
  for (const auto& one : results())
    accepted += one.ok() ? 1 : 0;
  return accepted;
}

} // namespace parcelflow::test
