#include "tests/support/closed_store.hpp"

#include "app/config.hpp"
#include "app/wiring_limits.hpp"
#include "codec/event_json.hpp"
#include "storage/consumer_store.hpp"
#include "storage/keys.hpp"
#include "storage/outbox.hpp"

#include <doctest/doctest.h>

namespace parcelflow::test {

using storage::kind;
using storage::owner;

namespace {

template <class T>
T whole(domain::outcome<T> row) {
  REQUIRE_MESSAGE(row.ok(), (row ? "" : row.why().detail));
  return *std::move(row);
}

template <class Visit>
void each(const storage::snapshot& at, owner of, kind what, Visit&& visit) {
  const auto from = storage::key_writer(what).take();
  at.scan(of, from, storage::prefix_end(from), [&](auto key, auto value) {
    storage::key_reader in(key);
    visit(in, value);
    return true;
  });
}

} // namespace

closed_store::closed_store(const std::string& data_directory) {
  auto settings = whole(app::load_config({})).values;
  settings.data.directory = data_directory;
  auto options = app::store_options_of(settings);
  options.create = false;
  store_ = whole(storage::store::open(std::move(options)));
}

std::vector<domain::order> closed_store::orders() const {
  std::vector<domain::order> found;
  each(read(), owner::order, kind::order, [&](auto& in, auto value) {
    const auto tenant = in.text();
    found.push_back(whole(domain::decode_order(tenant, in.text(), value)));
  });
  return found;
}

std::optional<domain::order>
closed_store::order(std::string_view tenant, std::string_view order_id) const {
  for (auto& one : orders())
    if (one.tenant_id == tenant && one.order_id == order_id)
      return std::move(one);
  return std::nullopt;
}

std::vector<domain::event_ptr> closed_store::unpublished() const {
  const auto at = read();
  std::uint64_t published = 0;
  if (const auto cursor =
        at.get(owner::relay, storage::relay_cursor_key(storage::the_lane))) {
    storage::key_reader in(std::string_view(*cursor).substr(2));
    in.byte();
    published = in.number();
  }
  std::vector<domain::event_ptr> found;
  each(at, owner::order, kind::outbox, [&](auto& in, auto value) {
    in.byte();
    if (in.number() > published)
      found.push_back(
        whole(codec::decode_event(whole(storage::decode_outbox(value)).bytes)));
  });
  return found;
}

domain::stream_row closed_store::stream(owner of, std::string_view consumer,
                                        std::string_view tenant,
                                        std::string_view aggregate) const {
  const auto row =
    read().get(of, storage::stream_key(tenant, consumer, aggregate));
  return row ? whole(domain::decode_stream(*row)) : domain::stream_row{};
}

std::optional<domain::event_place>
closed_store::foreign_event(owner of, std::string_view consumer,
                            std::string_view tenant,
                            std::string_view event_id) const {
  const auto row =
    read().get(of, storage::foreign_event_key(tenant, consumer, event_id));
  if (!row)
    return std::nullopt;
  return whole(storage::decode_place(*row));
}

std::uint64_t closed_store::position(std::string_view tenant,
                                     std::string_view aggregate) const {
  return stream(owner::fulfillment, domain::fulfillment_consumer, tenant,
                aggregate)
    .position;
}

std::optional<domain::fulfillment_job>
closed_store::job(std::string_view tenant, std::string_view aggregate) const {
  return whole(domain::decode_job(
    stream(owner::fulfillment, domain::fulfillment_consumer, tenant, aggregate)
      .effect));
}

std::vector<std::pair<std::string, std::string>> closed_store::jobs() const {
  std::vector<std::pair<std::string, std::string>> found;
  each(read(), owner::fulfillment, kind::stream, [&](auto& in, auto value) {
    auto tenant = in.text();
    in.text();
    if (whole(domain::decode_job(whole(domain::decode_stream(value)).effect)))
      found.emplace_back(std::move(tenant), in.text());
  });
  return found;
}

std::vector<domain::notification_send>
closed_store::sends(std::string_view tenant, std::string_view aggregate) const {
  return whole(domain::decode_sends(stream(owner::notification,
                                           domain::notification_consumer,
                                           tenant, aggregate)
                                      .effect));
}

std::vector<domain::dead_letter> closed_store::dead_letters() const {
  std::vector<domain::dead_letter> found;
  each(read(), owner::dead_letter, kind::dead_letter,
       [&](auto& in, auto value) {
         const auto tenant = in.text();
         found.push_back(
           whole(domain::decode_dead_letter(tenant, in.text(), value)));
       });
  return found;
}

std::string closed_store::payload(const domain::dead_letter& of) const {
  const auto row = read().get(
    owner::dead_letter, storage::payload_key(of.tenant_id, of.dead_letter_id));
  REQUIRE(row.has_value());
  return row->substr(2); // record version and key id
}

std::optional<domain::stock> closed_store::stock(std::string_view tenant,
                                                 std::string_view sku) const {
  const auto row =
    read().get(owner::inventory, storage::stock_key(tenant, sku));
  if (!row)
    return std::nullopt;
  return whole(domain::decode_stock(*row));
}

} // namespace parcelflow::test
