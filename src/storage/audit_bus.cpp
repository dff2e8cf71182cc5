// The topic log of the embedded adapter: its rows join without a hole, and no
// cursor stands beyond it. How they are laid out: docs/STORAGE_FORMAT.md.
#include "codec/event_json.hpp"
#include "storage/audit_book.hpp"
#include "storage/keys.hpp"
#include "support/record.hpp"

#include <memory>

namespace parcelflow::storage {
namespace {

struct topic_row {
  std::uint64_t first = 0;
  std::uint64_t events = 0;
  std::uint64_t unreadable = 0; ///< events that do not parse
};

domain::outcome<topic_row> decode_topic_row(std::string_view bytes) {
  support::record_reader in(bytes, 1);
  topic_row row;
  row.first = in.u64();
  row.events = in.count();
  for (std::uint64_t i = 0; i < row.events && in.ok(); ++i) {
    in.u32(); // the offer
    const auto event = in.text_view();
    if (in.ok() && !codec::decode_event(event))
      row.unreadable += 1;
  }
  if (!in.complete())
    return {domain::failure::storage_corrupt, "topic-log row does not parse"};
  return row;
}

class bus_checks {
public:
  explicit bus_checks(audit_book& book) : book_(book) {}

  void visit_log(const audited_row& row) {
    auto key = row.parts();
    const auto topic = key.text();
    const auto last = key.number();
    const auto of = book_.whole(row, decode_topic_row(row.value));
    const auto before = topic == topic_ ? last_ : 0;
    topic_ = topic;
    last_ = last;
    if (!of)
      return;
    if (of->unreadable > 0)
      book_.find(audit_rule::whole_rows, row,
                 "has " + counted(of->unreadable, "event")
                   + " that cannot be read");
    if (of->events == 0 || of->first + of->events - 1 != last)
      return book_.find(audit_rule::books, row,
                        "begins at " + std::to_string(of->first) + " and has "
                          + counted(of->events, "event"));
    if (before != 0 && of->first != before + 1)
      book_.find(audit_rule::books, row,
                 "begins at " + std::to_string(of->first)
                   + ", the one before ends at " + std::to_string(before));
  }

  void visit_cursor(const audited_row& row) {
    auto key = row.parts();
    const auto topic = key.text();
    support::record_reader in(row.value, 1);
    const auto settled = in.u64();
    if (!in.complete())
      return book_.find(audit_rule::whole_rows, row,
                        "topic cursor does not parse");
    const auto prefix = key_writer(kind::topic_log).text(topic).take();
    const auto newest = book_.at().last(owner::bus, prefix, prefix_end(prefix));
    if (!newest)
      return; // all of it was settled and cut off
    key_reader at(newest->first);
    at.text();
    const auto end = at.number();
    if (settled > end)
      book_.find(audit_rule::books, row,
                 "stands at " + std::to_string(settled) + "; the topic ends at "
                   + std::to_string(end));
  }

private:
  audit_book& book_;
  std::string topic_;
  std::uint64_t last_ = 0;
};

} // namespace

void add_bus_checks(audit_book& book, audit_passes& to) {
  const auto checks = std::make_shared<bus_checks>(book);
  to.push_back({owner::bus, kind::topic_log,
                [checks](const auto& row) { checks->visit_log(row); }});
  to.push_back({owner::bus, kind::topic_cursor,
                [checks](const auto& row) { checks->visit_cursor(row); }});
}

} // namespace parcelflow::storage
