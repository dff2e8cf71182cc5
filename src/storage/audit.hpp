// The audit: are the invariants true of the rows of one instant (R24)? It walks
// every row of every family once, in key order, with point reads across the
// families, so it needs no more memory than the skus of one tenant that are
// reserved and the findings it keeps. Each finding names the row that is
// wrong, not the place where it was noticed.
//
// One snapshot is consistent, but a running daemon is not at rest: what is
// merely on its way (an event that a consumer has not seen, a record that is
// not told yet, a reservation whose order may still come) is counted as
// pending with its oldest age, and is no finding. `at_rest` says that nothing
// is on its way any more: then what is older than the grace is one.
//
// The checks are written against the invariants and share no code with the
// owners that keep them; row decoders and the digest are all they trust.
// Owner: whoever runs it. Thread rule: one thread at a time; the snapshot may
// be of a store that is being written. It holds the snapshot until it dies,
// and the store must outlive it. Errors: a row that does not parse is a
// finding; a failed read is fail-stop, as everywhere (store.hpp).
#pragma once

#include "domain/audit_report.hpp"
#include "storage/row_names.hpp"
#include "storage/store.hpp"
#include "support/clock.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace parcelflow::storage {

using domain::audit_account;
using domain::audit_finding;
using domain::audit_mode;
using domain::audit_pending;
using domain::audit_report;
using domain::audit_rows;
using domain::audit_rule;
using domain::audit_way;
using domain::row_name;

struct audited_consumer {
  owner of = owner::order;
  std::string name;
  /// Streams come to it from another consumer alone; what is due to them is in
  /// that one's account.
  bool by_redirect = false;
  /// It may come to a system that ran before: it has an account once it left a
  /// row, and what its history cursor passed left one of its stream.
  bool added_later = false;
};

struct audit_options {
  support::unix_ms now = 0;
  audit_mode mode = audit_mode::running;
  support::unix_ms running_since = 0; ///< running: when the owners started
  support::unix_ms grace_ms = 60'000;
  std::size_t findings_max = 1000; ///< kept; the count goes on
  /// Who consumes the order events.
  std::vector<audited_consumer> consumers = known_consumers();

  [[nodiscard]] static std::vector<audited_consumer> known_consumers();
};

class audit_run {
public:
  audit_run(const store& of, audit_options options);
  audit_run(const audit_run&) = delete;
  audit_run& operator=(const audit_run&) = delete;
  ~audit_run();

  /// Looks at up to so many rows more; false once all were seen. One step may
  /// read more than that where a row stands for others: the reservations of a
  /// tenant, the waiting room of a stream.
  bool step(std::size_t rows);
  /// As far as it got.
  [[nodiscard]] const audit_report& report() const noexcept;

private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

/// The whole audit at once. `progress` is called every few thousand rows; it
/// ends the audit, incomplete, by answering false. May be empty.
[[nodiscard]] audit_report
audit(const store& of, audit_options options,
      const std::function<bool(const audit_report& so_far)>& progress = {});

} // namespace parcelflow::storage
