// Clients and responders of the simulated world. They ask and do not wait:
// answers reach the ledger when they come, and an answer of a process that is
// dead by then was never heard.
// Owner: the simulation; outlives every node. Thread rule: the driver's.
#pragma once

#include "domain/pause.hpp"
#include "tests/simulation/chance.hpp"
#include "tests/simulation/ledger.hpp"
#include "tests/simulation/node.hpp"

#include <map>
#include <string>
#include <vector>

namespace parcelflow::simulation {

class people {
public:
  explicit people(ledger& book) : ledger_(book) {}

  [[nodiscard]] static const std::vector<std::string>& tenants();
  /// What each tenant puts on the shelf of a sku, once.
  [[nodiscard]] static std::int64_t shelf(std::string_view sku);

  // --- clients --------------------------------------------------------------
  void stock(node& at);
  void place(node& at, chance& draw);
  /// An old key: mostly the same order, sometimes another.
  void repeat(node& at, chance& draw);
  void command(node& at, chance& draw, domain::order_command what);

  // --- responders -----------------------------------------------------------
  void plan(node& at, chance& draw);
  /// Executes a plan made before, or makes one.
  void replay(node& at, chance& draw);
  void waive(node& at, chance& draw);
  void skip(node& at, chance& draw);
  void resend(node& at, chance& draw);
  void pause(node& at, chance& draw);

  // What a responder does once the faults are over, until nothing is left.
  void resume_all(node& at);
  void plan_all(node& at);
  void execute_all(node& at);
  /// Waives what stands aside, skips what will never come.
  void give_up(node& at);

  /// For the story: streams and what keeps them.
  static std::vector<std::string> what_waits(node& at);

  /// What they did that faults are about.
  [[nodiscard]] const std::map<std::string, std::uint64_t>& counted() const {
    return counted_;
  }

private:
  struct plan_name {
    std::string tenant;
    std::string id;
  };
  struct waiting_stream {
    std::string tenant;
    std::string consumer;
    std::string aggregate;
    std::uint64_t position = 0;
  };
  void send(node& at, const client_name& key, const order_body& what,
            const std::string& token);
  void plan_of(node& at, const std::string& tenant);
  void execute(node& at, const plan_name& plan);
  void waive_letter(node& at, const client_name& letter);
  void skip_head(node& at, const waiting_stream& of);
  static std::vector<waiting_stream> waiting(node& at);

  ledger& ledger_;
  std::vector<client_name> keys_;
  std::vector<plan_name> plans_;
  std::vector<std::pair<std::string, domain::pause_target>> paused_;
  std::map<std::string, std::uint64_t> counted_;
};

/// Aggregates that no order of ours has.
[[nodiscard]] bool is_foreign(std::string_view aggregate);

} // namespace parcelflow::simulation
