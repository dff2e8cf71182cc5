// A data directory that no process has open, read with key and record decoders
// alone: what survives, whoever wrote it and however it died.
// Owner: the test. Thread rule: one thread. Errors: a directory that does not
// open and a row that does not parse fail the test.
#pragma once

#include "domain/dead_letter.hpp"
#include "domain/event.hpp"
#include "domain/fulfillment.hpp"
#include "domain/inventory.hpp"
#include "domain/notification.hpp"
#include "domain/order.hpp"
#include "domain/sequence_rule.hpp"
#include "storage/store.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace parcelflow::test {

class closed_store {
public:
  explicit closed_store(const std::string& data_directory);

  [[nodiscard]] std::vector<domain::order> orders() const;
  [[nodiscard]] std::optional<domain::order>
  order(std::string_view tenant, std::string_view order_id) const;
  /// Events in the outbox beyond the relay's cursor, in order.
  [[nodiscard]] std::vector<domain::event_ptr> unpublished() const;

  [[nodiscard]] domain::stream_row stream(storage::owner of,
                                          std::string_view consumer,
                                          std::string_view tenant,
                                          std::string_view aggregate) const;
  /// Where a consumer used an event id that is not of our own form.
  [[nodiscard]] std::optional<domain::event_place>
  foreign_event(storage::owner of, std::string_view consumer,
                std::string_view tenant, std::string_view event_id) const;
  [[nodiscard]] std::uint64_t position(std::string_view tenant,
                                       std::string_view aggregate) const;
  [[nodiscard]] std::optional<domain::fulfillment_job>
  job(std::string_view tenant, std::string_view aggregate) const;
  /// Every (tenant, aggregate) that has a job.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> jobs() const;
  [[nodiscard]] std::vector<domain::notification_send>
  sends(std::string_view tenant, std::string_view aggregate) const;
  [[nodiscard]] std::vector<domain::dead_letter> dead_letters() const;
  [[nodiscard]] std::string payload(const domain::dead_letter& of) const;
  [[nodiscard]] std::optional<domain::stock> stock(std::string_view tenant,
                                                   std::string_view sku) const;

  [[nodiscard]] storage::snapshot read() const { return store_->read(); }

private:
  std::unique_ptr<storage::store> store_;
};

} // namespace parcelflow::test
