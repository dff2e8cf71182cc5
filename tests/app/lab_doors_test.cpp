// The doors of the laboratory in the whole engine: each makes the record it is
// there for, by the ordinary way, and the ordinary tools close it again.
#include "tests/support/responder.hpp"

#include <doctest/doctest.h>

using namespace parcelflow;
using namespace parcelflow::test;
using domain::dead_letter_cause;
using domain::dead_letter_state;

TEST_CASE("a handler that fails by configuration is well again without it") {
  world w([](app::config& c) {
    c.consumer.attempts_max = 2;
    c.consumer.fault_fail = {
      {"tn-a", std::string(domain::fulfillment_consumer)}};
  });
  w.stock("tn-a", "sku-1", 10);
  const auto order = w.accepted("tn-a", "k1");
  serves(w, "tn-b", "k-b"); // of the same handler, not of that tenant
  w.pass(60'000, 1000);
  responder r(w, "tn-a");
  const auto id = only_letter(w, domain::fulfillment_consumer);
  CHECK(r.letter(id).cause == dead_letter_cause::attempts_exhausted);
  CHECK(r.letter(id).attempts.size() == 2);
  CHECK(letters_of(w, domain::notification_consumer).empty());
  CHECK_FALSE(w.job("tn-a", order).has_value());
  CHECK(r.run(r.plan("")).counts.refused == 1); // still broken

  w.settings.consumer.fault_fail.clear();
  w.restart();
  CHECK_FALSE(w.job("tn-a", order).has_value()); // none by itself
  CHECK(r.run(r.plan("")).counts.created_now == 1);
  CHECK(w.job("tn-a", order).has_value());
  CHECK(r.letter(id).state() == dead_letter_state::resolved);
  w.check_invariants();
}

TEST_CASE("a rival of a used sequence stands aside and can be waived only") {
  world w([](app::config& c) { c.bus.fault_fork = 1; });
  w.stock("tn-a", "sku-1", 10);
  const auto order = w.accepted("tn-a", "k1");
  CHECK(w.job("tn-a", order).has_value());
  CHECK(w.fulfillment("tn-a", order).position == 1);
  responder r(w, "tn-a");
  const auto id = only_letter(w, domain::fulfillment_consumer);
  CHECK(r.letter(id).cause == dead_letter_cause::sequence_fork);
  CHECK(r.letter(id).event_id == "rival-" + r.letter(id).known_event_id);
  CHECK(r.run(r.plan("consumer=fulfillment-v1")).counts.created_now == 0);
  CHECK(r.letter(id).state() == dead_letter_state::open);
  REQUIRE(r.waive(id).ok());
  CHECK(r.letter(id).state() == dead_letter_state::waived);
  w.check_invariants();
}

TEST_CASE("a garbled delivery stands aside; its double arrives") {
  world w([](app::config& c) {
    c.bus.fault_duplicate = 1;
    c.bus.fault_garble = 2;
  });
  w.stock("tn-a", "sku-1", 10);
  const auto order = w.accepted("tn-a", "k1");
  CHECK(w.job("tn-a", order).has_value());
  const auto letters = letters_of(w, domain::fulfillment_consumer);
  REQUIRE(letters.size() == 1);
  CHECK(letters[0].cause == dead_letter_cause::invalid_envelope);
  CHECK(letters[0].tenant_id == domain::unattributed_tenant);
  responder r(w, std::string(domain::unattributed_tenant));
  REQUIRE(r.waive(letters[0].dead_letter_id).ok());
  CHECK(r.letter(letters[0].dead_letter_id).state()
        == dead_letter_state::waived);
  w.check_invariants();
}
