// The fake authorizer alone: what each token does, and when the answer comes.
#include "actors/payment.hpp"
#include "tests/support/stage.hpp"

#include <caf/actor_cast.hpp>
#include <doctest/doctest.h>

using namespace parcelflow;
using namespace parcelflow::actors;

namespace {

/// Stands for the order owner, of whose interface only the answer is used.
struct fixture {
  std::vector<authorize_answer> answers;
  std::size_t messages = 0;
  support::manual_clock clock{1000};
  test::stage on;
  caf::actor order = on.spawn([this](caf::event_based_actor*) {
    return caf::behavior{[this](granted_atom, const granted_batch& batch) {
      ++messages;
      answers.insert(answers.end(), batch->begin(), batch->end());
    }};
  });
  payment_actor subject = on.spawn(fake_payment, &clock);

  void ask(const std::vector<std::string>& tokens) {
    std::vector<authorize_request> asked;
    for (const auto& token : tokens) {
      authorize_request one;
      one.attempt = asked.size() + 1;
      one.payment = {"tn-a", "rsv-" + token, 2500, "EUR", token};
      asked.push_back(one);
    }
    caf::send_as(
      order, subject, authorize_atom::value,
      std::make_shared<const std::vector<authorize_request>>(std::move(asked)));
    on.run();
  }
};

} // namespace

TEST_CASE("a good token is granted at once, and again under the same id") {
  fixture f;
  f.ask({"tok_ok"});
  REQUIRE(f.answers.size() == 1);
  CHECK(f.answers[0].attempt == 1);
  CHECK(*f.answers[0].granted
        == domain::authorization{"aut-rsv-tok_ok", 2500, 1000, 0});
  f.ask({"tok_ok"});
  REQUIRE(f.answers.size() == 2);
  CHECK(f.answers[1].granted->id == f.answers[0].granted->id);
}

TEST_CASE("a declined token is refused by name") {
  fixture f;
  f.ask({"tok_decline"});
  REQUIRE(f.answers.size() == 1);
  CHECK(f.answers[0].granted.why().code == domain::failure::payment_declined);
}

TEST_CASE("a slow token is granted when its time has passed, not before") {
  fixture f;
  f.ask({"tok_delay_500"});
  f.on.pass(std::chrono::milliseconds(499));
  CHECK(f.answers.empty());
  f.on.pass(std::chrono::milliseconds(1));
  REQUIRE(f.answers.size() == 1);
  CHECK(f.answers[0].granted.ok());
}

TEST_CASE("a silent token is never answered, and holds up no other") {
  fixture f;
  f.ask({"tok_silent", "tok_ok", "tok_decline", "tok_delay_10"});
  CHECK(f.messages == 1); // one batch for all that can be answered now
  REQUIRE(f.answers.size() == 2);
  CHECK(f.answers[0].attempt == 2);
  CHECK(f.answers[1].attempt == 3);
  f.on.pass(std::chrono::hours(24));
  REQUIRE(f.answers.size() == 3);
  CHECK(f.answers[2].attempt == 4);
}
