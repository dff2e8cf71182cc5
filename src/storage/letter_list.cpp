#include "storage/letter_list.hpp"

#include "domain/letter_glance.hpp"
#include "storage/letter_counts.hpp"
#include "storage/ops_view.hpp"
#include "storage/page_walk.hpp"
#include "support/assert.hpp"

#include <algorithm>
#include <charconv>

namespace parcelflow::storage {

using domain::dead_letter_filter;
using domain::letter_page;

namespace {

constexpr std::size_t terminator = 2; // behind a text in a key

/// Where a page begins. What was counted for the first page goes with the
/// others, so that a walk through all pages does not count on each.
struct page_start {
  std::string after; ///< a dead-letter id; empty: from the first
  std::optional<std::uint64_t> total;
};

page_start start_of(const std::string& next) {
  page_start start{next, std::nullopt};
  const auto space = next.rfind(' '); // no id has one
  if (space == std::string::npos)
    return start;
  std::uint64_t total = 0;
  const char* const end = next.data() + next.size();
  const auto read = std::from_chars(next.data() + space + 1, end, total);
  if (read.ec == std::errc() && read.ptr == end)
    start.total = total;
  start.after.resize(space);
  return start;
}

letter_page with_total_in_next(letter_page page) {
  if (!page.letters.next.empty())
    page.letters.next += ' ' + std::to_string(page.total);
  return page;
}

/// One pass over a tenant's records, each looked at in place.
class letter_walk {
public:
  letter_walk(row_reader& in, std::string_view tenant,
              const dead_letter_filter& filter, std::string_view after,
              std::size_t limit)
    : in_(&in), tenant_(tenant), filter_(&filter), limit_(limit),
      from_the_first_(after.empty()),
      begin_(first_key(kind::dead_letter, tenant, after)) {
    PF_ASSERT(limit > 0);
  }

  /// From the page's start to the first match behind it; not far beyond.
  letter_page page_only(std::uint64_t total) {
    counts_ = false;
    known_ = total;
    if (known_ > 0)
      scan(begin_);
    shown_.total = total;
    return std::move(shown_);
  }
  /// Every record of the tenant.
  letter_page page_and_total() {
    scan(first_key(kind::dead_letter, tenant_, {}));
    return std::move(shown_);
  }
  /// These records alone, ascending.
  letter_page of_ids(const std::vector<std::string>& ids) {
    for (const auto& id : ids) {
      const auto key = dead_letter_key(tenant_, id);
      if (const auto row = in_->rows().get(owner::dead_letter, key))
        take(key, *row);
    }
    return std::move(shown_);
  }

private:
  void scan(const std::string& from) {
    const auto all = key_writer(kind::dead_letter).text(tenant_).take();
    in_->rows().scan(owner::dead_letter, from, prefix_end(all),
                     [&](std::string_view key, std::string_view value) {
                       return take(key, value);
                     });
  }

  /// False: nothing behind this row is of interest.
  bool take(std::string_view key, std::string_view value) {
    constexpr std::size_t head = 1; // the kind
    const auto before = head + tenant_.size() + terminator;
    const auto id = key.substr(before, key.size() - before - terminator);
    const auto glance = in_->whole(domain::glance_at(id, value));
    if (!glance)
      return false;
    looked_at_ += 1;
    const bool on_page = key >= begin_;
    const bool full = shown_.letters.items.size() >= limit_;
    if (filter_->matches(*glance)) {
      shown_.total += 1;
      if (on_page && full) {
        shown_.letters.next = shown_.letters.items.back().dead_letter_id;
        return counts_;
      }
      if (on_page)
        add(id, value);
    }
    if (counts_)
      return true;
    if (from_the_first_ && shown_.total == known_)
      return false; // those were all
    if (looked_at_ < ops_view::letters_passed_by_max)
      return true;
    shown_.letters.next = id;
    return false;
  }

  void add(std::string_view id, std::string_view value) {
    if (auto letter =
          in_->whole(domain::decode_dead_letter(tenant_, id, value)))
      shown_.letters.items.push_back(*std::move(letter));
  }

  row_reader* in_;
  std::string tenant_;
  const dead_letter_filter* filter_;
  std::size_t limit_;
  bool from_the_first_;
  std::string begin_;
  bool counts_ = true;
  std::uint64_t known_ = 0; ///< the total, if it need not be counted
  std::size_t looked_at_ = 0;
  letter_page shown_;
};

/// The ids of an order's records; nothing if they are too many to look up.
std::optional<std::vector<std::string>>
letters_of_order(row_reader& in, std::string_view tenant,
                 std::string_view order_id) {
  std::vector<std::string> ids;
  const auto from =
    key_writer(kind::dead_letter_order).text(tenant).text(order_id).take();
  in.rows().scan(owner::dead_letter, from, prefix_end(from),
                 [&](std::string_view key, std::string_view) {
                   key_reader at(key);
                   at.text();
                   at.text();
                   ids.push_back(at.text());
                   return ids.size() <= status_view::rows_looked_at_max;
                 });
  if (ids.size() > status_view::rows_looked_at_max)
    return std::nullopt;
  return ids;
}

/// What the index by time says: how many there are, and which, if they are few
/// enough to look up one by one.
struct dated_letters {
  std::uint64_t count = 0; ///< exact unless `cut_short`
  bool cut_short = false;
  std::optional<std::vector<std::string>> few; ///< ascending
};

dated_letters letters_in_time(row_reader& in, std::string_view tenant,
                              const dead_letter_filter& filter,
                              bool count_all) {
  const auto all = key_writer(kind::letter_time).text(tenant).take();
  const auto till = filter.until == 0
                      ? prefix_end(all)
                      : letter_time_key(tenant, filter.until, {});
  dated_letters found;
  found.few.emplace();
  in.rows().scan(owner::dead_letter, letter_time_key(tenant, filter.since, {}),
                 till, [&](std::string_view key, std::string_view) {
                   found.count += 1;
                   if (found.count > status_view::rows_looked_at_max) {
                     found.few.reset();
                     found.cut_short = !count_all;
                     return count_all;
                   }
                   key_reader at(key);
                   at.text();
                   at.number();
                   found.few->push_back(at.text());
                   return true;
                 });
  if (found.few)
    std::ranges::sort(*found.few);
  return found;
}

/// Nothing but a time is asked for.
bool asks_time_alone(dead_letter_filter filter) {
  filter.since = filter.until = 0;
  return filter == dead_letter_filter();
}

std::optional<std::uint64_t> counted(row_reader& in, std::string_view tenant,
                                     const dead_letter_filter& filter) {
  const auto counts =
    in.get(owner::dead_letter, letter_counts_key(tenant),
           [](auto bytes) { return decode_letter_counts(bytes); });
  return counts ? counts->total(filter) : std::nullopt;
}

} // namespace

letter_page letters_of(row_reader& in, std::string_view tenant,
                       const dead_letter_filter& filter,
                       const page_request& page) {
  const auto start = start_of(page.after);
  letter_walk walk(in, tenant, filter, start.after, page.limit);
  if (const auto total = counted(in, tenant, filter))
    return walk.page_only(*total);
  if (!filter.aggregate_id.empty())
    if (const auto ids = letters_of_order(in, tenant, filter.aggregate_id))
      return walk.of_ids(*ids);
  if (start.total)
    return with_total_in_next(walk.page_only(*start.total));
  if (filter.since != 0 || filter.until != 0) {
    const bool alone = asks_time_alone(filter);
    const auto dated = letters_in_time(in, tenant, filter, alone);
    if (dated.few)
      return walk.of_ids(*dated.few);
    if (!dated.cut_short)
      return with_total_in_next(walk.page_only(dated.count));
  }
  return with_total_in_next(walk.page_and_total());
}

domain::outcome<letter_page>
ops_view::dead_letters(std::string_view tenant,
                       const dead_letter_filter& filter,
                       const page_request& page) const {
  row_reader in(*rows_);
  return answer(in, letters_of(in, tenant, filter, page));
}

} // namespace parcelflow::storage
