// The report of an audit, as JSON. Names of rows, numbers and sentences; no
// payload is in a report.
// Thread rule: pure functions. Errors: none.
#pragma once

#include "domain/audit_report.hpp"

#include <string>

namespace parcelflow::codec {

[[nodiscard]] std::string audit_json(const domain::audit_report& of);

/// The same for a person: what was looked at, where the events are, what is on
/// its way, then one line a finding.
[[nodiscard]] std::string audit_text(const domain::audit_report& of);

/// "fulfillment/waiting_room tenant=acme aggregateId=o-1 sequence=2".
[[nodiscard]] std::string row_text(const domain::row_name& of);

} // namespace parcelflow::codec
