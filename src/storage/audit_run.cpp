#include "domain/audit_feed.hpp"
#include "domain/fulfillment.hpp"
#include "domain/inventory.hpp"
#include "domain/notification.hpp"
#include "storage/audit_book.hpp"
#include "storage/keys.hpp"

#include <algorithm>

namespace parcelflow::storage {
namespace {

/// A stretch of a family's keys: the rows of a kind, or what lies between two
/// kinds, where there is nothing to be.
struct stretch {
  owner of;
  std::string from;
  std::string upper;
  const audit_pass* check = nullptr; ///< none: whatever is there is foreign
};

constexpr owner owners[] = {
  owner::order,        owner::inventory,   owner::relay, owner::fulfillment,
  owner::notification, owner::dead_letter, owner::bus,   owner::audit_feed,
};
constexpr owner consumer_owners[] = {owner::inventory, owner::fulfillment,
                                     owner::notification, owner::audit_feed};

void foreign_row(audit_book& book, owner of, std::string_view key) {
  const auto name = name_of(of, key);
  book.find(audit_rule::whole_rows, name,
            name.kind.starts_with("0x")
              ? "no row of this program has such a kind"
              : "its kind belongs to another family, or its key does not "
                "parse");
}

} // namespace

struct audit_run::impl {
  impl(const store& of, audit_options options) : book(of, std::move(options)) {
    add_order_checks(book, passes);
    add_stock_checks(book, passes);
    add_relay_checks(book, passes);
    for (const auto one : consumer_owners) {
      add_stream_checks(book, one, passes);
      add_waiting_checks(book, one, passes);
    }
    add_letter_checks(book, passes);
    add_replay_checks(book, passes);
    add_bus_checks(book, passes);
    for (const auto one : owners)
      lay_out(one);
  }

  void lay_out(owner of) {
    std::string from(1, '\0');
    for (const auto what : kinds_of(of)) {
      auto prefix = key_writer(what).take();
      auto upper = prefix_end(prefix);
      const auto check = std::ranges::find_if(passes, [&](const auto& pass) {
        return pass.of == of && pass.what == what;
      });
      stretches.push_back({of, from, prefix, nullptr});
      if (check != passes.end())
        stretches.push_back({of, std::move(prefix), upper, &*check});
      from = std::move(upper);
    }
    stretches.push_back({of, from, std::string(20, '\xFF'), nullptr});
  }

  /// Looks at rows of the current stretch; false if some may be left in it.
  bool work(std::size_t rows_max, std::size_t& done) {
    const auto& now = stretches[current];
    std::string last;
    bool more = false;
    book.at().scan(now.of, now.from, now.upper, [&](auto key, auto value) {
      if (done == rows_max) {
        more = true;
        return false;
      }
      done += 1;
      look(now, key, value);
      last = key;
      return true;
    });
    if (more && !last.empty()) // goes on behind the last one
      stretches[current].from = std::move(last) + '\0';
    return !more;
  }

  void look(const stretch& in, std::string_view key, std::string_view value) {
    auto& report = book.report();
    report.rows += 1;
    const auto name = in.check != nullptr ? to_string(in.check->what)
                                          : std::string_view("unknown");
    const auto family = to_string(in.of);
    if (report.rows_by_kind.empty()
        || report.rows_by_kind.back().family != family
        || report.rows_by_kind.back().kind != name)
      report.rows_by_kind.push_back({family, name, 0});
    report.rows_by_kind.back().rows += 1;
    if (in.check == nullptr || !name_of(in.of, key).whole)
      foreign_row(book, in.of, key);
    else
      in.check->visit({in.of, key, value});
  }

  audit_book book;
  audit_passes passes;
  std::vector<stretch> stretches;
  std::size_t current = 0;
};

audit_run::audit_run(const store& of, audit_options options)
  : impl_(std::make_unique<impl>(of, std::move(options))) {}
audit_run::~audit_run() = default;

bool audit_run::step(std::size_t rows) {
  std::size_t done = 0;
  while (impl_->current < impl_->stretches.size()) {
    if (!impl_->work(rows, done))
      return true;
    if (const auto* check = impl_->stretches[impl_->current].check;
        check != nullptr && check->end)
      check->end();
    impl_->current += 1;
  }
  impl_->book.report().complete = true;
  return false;
}

const audit_report& audit_run::report() const noexcept {
  return impl_->book.report();
}

audit_report audit(const store& of, audit_options options,
                   const std::function<bool(const audit_report&)>& progress) {
  constexpr std::size_t rows_a_step = 4096;
  audit_run run(of, std::move(options));
  while (run.step(rows_a_step))
    if (progress && !progress(run.report()))
      break;
  return run.report();
}

std::vector<audited_consumer> audit_options::known_consumers() {
  return {
    {owner::fulfillment, std::string(domain::fulfillment_consumer)},
    {owner::fulfillment, std::string(domain::fulfillment_v2_consumer), true},
    {owner::notification, std::string(domain::notification_consumer)},
    {owner::inventory, std::string(domain::inventory_consumer)},
    {owner::audit_feed, std::string(domain::audit_feed_consumer), false, true}};
}

} // namespace parcelflow::storage
