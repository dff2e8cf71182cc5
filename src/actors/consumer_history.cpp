// The consumer core and the time before it: what history.hpp walks through.
#include "actors/consumer.hpp"
#include "actors/delivery_facts.hpp"

namespace parcelflow::actors {

void consumer::take_from_history(const domain::event_ptr& event) {
  const auto& about = event->envelope;
  subject of{event,
             std::string(domain::order_topic),
             domain::via::history,
             std::nullopt,
             {}};
  auto row = store_.stream(about.tenant_id, about.aggregate_id);
  delivery_facts facts(store_, *event, true);
  const auto judged = domain::judge(*event, row, spec_.supported, facts);
  act(of, std::move(row), judged, of_no_delivery);
}

void consumer::mark_before(const domain::event_ptr& event) {
  const auto& about = event->envelope;
  auto row = store_.stream(about.tenant_id, about.aggregate_id);
  if (row.waiting || row.position > row.start_mark
      || about.aggregate_sequence <= row.position)
    return; // it has a life of its own by now
  row.position = about.aggregate_sequence;
  row.start_mark = row.position;
  save({about.tenant_id, about.aggregate_id}, std::move(row), false);
}

} // namespace parcelflow::actors
