#include "tests/process/crash_verdict.hpp"

#include "storage/keys.hpp"
#include "support/clock.hpp"
#include "tests/process/crash_client.hpp"
#include "tests/support/closed_store.hpp"
#include "tests/support/invariants.hpp"

#include <map>
#include <set>

namespace parcelflow::test {
namespace {

using name = std::pair<std::string, std::string>;

class comparison {
public:
  comparison(const closed_store& found, const crash_books& books)
    : found_(found), books_(books) {
    verdict_.wrong = books.wrong;
  }

  crash_verdict run() {
    std::set<name> arrived;
    for (const auto& order : found_.orders())
      compare(order, arrived);
    for (const auto& [key, known] : books_.orders)
      if (!arrived.contains(key))
        count(verdict_.lost, "lost: " + known.order_id);
    jobs();
    stock();
    for (const auto& letter : found_.dead_letters())
      if (letter.state() != domain::dead_letter_state::resolved)
        verdict_.wrong.push_back(letter.event_id + " still waits");
    at_rest when;
    when.now = support::system_clock().now();
    for (auto& one : violations(found_.read(), when))
      verdict_.wrong.push_back(std::move(one));
    return std::move(verdict_);
  }

private:
  void count(std::uint64_t& kind, std::string what) {
    ++kind;
    verdict_.wrong.push_back(std::move(what));
  }

  void compare(const domain::order& order, std::set<name>& arrived) {
    const name key(order.tenant_id, order.idempotency_key);
    const auto known = books_.orders.find(key);
    if (known == books_.orders.end()
        || known->second.order_id != order.order_id)
      return count(verdict_.unexpected, "unexpected: " + order.order_id);
    if (!arrived.insert(key).second)
      count(verdict_.duplicated, "a second order of key " + key.second);
    const auto& closed_by = known->second.closed_by;
    if (order.steps.size() != (closed_by.empty() ? 1 : 2))
      verdict_.wrong.push_back(order.order_id + " has a step too many or few");
    sends(order, closed_by == "cancel");
  }

  void sends(const domain::order& of, bool cancelled) {
    std::map<std::string, int> by_template;
    for (const auto& one : found_.sends(of.tenant_id, of.order_id))
      ++by_template[one.template_name];
    std::map<std::string, int> must{
      {std::string(domain::confirmation_template), 1}};
    if (cancelled)
      must[std::string(domain::cancellation_template)] = 1;
    if (by_template == must)
      return;
    for (const auto& [text, times] : by_template)
      if (times > 1)
        ++verdict_.duplicated;
    verdict_.wrong.push_back(of.order_id + " has not the sends it must have");
  }

  void jobs() {
    std::map<name, int> jobs_of;
    for (const auto& one : found_.jobs())
      if (++jobs_of[one] > 1)
        count(verdict_.duplicated, "a second job of " + one.second);
    for (const auto& [key, known] : books_.orders)
      if (!jobs_of.contains({key.first, known.order_id}))
        verdict_.wrong.push_back("no job of " + known.order_id);
  }

  // An effect that happened twice, or a release that did not, shows here.
  void stock() {
    for (const auto& [tenant, must] : books_.stock()) {
      const auto stock = found_.stock(tenant, "sku-1");
      if (!stock || stock->on_hand != crash_stock - must.taken
          || stock->reserved != must.reserved)
        verdict_.wrong.push_back("the stock of " + tenant + " does not add up; "
                                 + strays_of(tenant));
    }
  }

  /// Live reservations of a tenant that no order of the books has.
  std::string strays_of(const std::string& tenant) {
    std::set<std::string> had;
    for (const auto& order : found_.orders())
      had.insert(order.reservation_id);
    std::string strays = "without an order:";
    const auto from =
      storage::key_writer(storage::kind::reservation).text(tenant).take();
    found_.read().scan(
      storage::owner::inventory, from, storage::prefix_end(from),
      [&](auto key, auto value) {
        storage::key_reader in(key);
        in.text();
        const auto id = in.text();
        const auto row = domain::decode_reservation(value);
        if (!row || (domain::is_live(row->state) && !had.contains(id)))
          strays += " " + id + " of " + (row ? row->idempotency_key : "?");
        return true;
      });
    return strays;
  }

  const closed_store& found_;
  const crash_books& books_;
  crash_verdict verdict_;
};

} // namespace

crash_verdict judge(const std::string& data_directory,
                    const crash_books& books) {
  const closed_store found(data_directory);
  return comparison(found, books).run();
}

} // namespace parcelflow::test
