// The order, envelope and hostile texts that the codec tests share.
// Thread rule: free functions; a generator belongs to one test.
#pragma once

#include "domain/event.hpp"
#include "domain/order.hpp"

#include <nlohmann/json.hpp>

#include <random>
#include <string>

namespace parcelflow::test {

/// The order of docs/events/examples, accepted at 2026-11-30T19:00:00Z.
domain::order sample_order();
domain::envelope sample_envelope();
/// A request body that is accepted, to be spoilt member by member.
nlohmann::json sample_body();

/// Valid UTF-8 without U+0000, made of what breaks JSON writers and readers.
std::string hostile_text(std::mt19937_64& random);
/// Any JSON value, with hostile names and texts.
nlohmann::json hostile_value(std::mt19937_64& random, int depth);

} // namespace parcelflow::test
