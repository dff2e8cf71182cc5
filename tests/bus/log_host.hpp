// A log bus on a store in a directory of its own, and what hosts it in the
// daemon, in small: step, seal, commit, round_done, until nothing is left.
// The host's side runs where `run` is called; tests decide when.
#pragma once

#include "bus/log_bus.hpp"
#include "storage/store.hpp"
#include "support/assert.hpp"
#include "tests/storage/store_fixture.hpp"
#include "tests/support/temp_directory.hpp"

#include <atomic>
#include <memory>
#include <optional>
#include <utility>

namespace parcelflow::test {

class log_host {
public:
  explicit log_host(bus::log_bus_options options = {})
    : options_(std::move(options)) {
    open();
  }
  ~log_host() { crash(); }

  [[nodiscard]] bus::log_bus& bus() { return *bus_; }
  [[nodiscard]] storage::store& store() { return *store_; }
  [[nodiscard]] bus::log_bus_options& options() { return options_; }
  [[nodiscard]] bool woken() const { return woken_; }

  /// The bus leaves this host, for a decorator that wants to own it.
  [[nodiscard]] std::unique_ptr<bus::log_bus> give_away() {
    return std::exchange(owned_, nullptr);
  }

  void step() {
    woken_ = false;
    bus_->step();
  }
  /// One round of what is staged; false if nothing needs one.
  bool commit_round() {
    if (!bus_->rows().must_commit())
      return false;
    commit(*store_, bus_->rows());
    return true;
  }
  /// Until the bus asks for nothing more.
  void run() {
    do {
      if (woken_)
        step();
    } while (commit_round() || woken_);
  }

  /// The process dies: what is staged is gone, what is durable stays.
  void crash() {
    owned_.reset();
    bus_ = nullptr;
    store_.reset();
  }
  void open() {
    store_ = open_or_throw(options_for(directory_.path()));
    woken_ = false;
    owned_ = std::make_unique<bus::log_bus>(
      store_->take(storage::owner::bus), options_, [this] { woken_ = true; });
    bus_ = owned_.get();
  }
  void reopen() {
    crash();
    open();
  }
  /// close(), worked off; then a crash changes nothing.
  void stop() {
    bool closed = false;
    bus_->close([&closed] { closed = true; });
    run();
    PF_ASSERT(closed);
    crash();
  }

private:
  temp_directory directory_;
  bus::log_bus_options options_;
  std::atomic<bool> woken_ = false;
  std::unique_ptr<storage::store> store_;
  std::unique_ptr<bus::log_bus> owned_;
  bus::log_bus* bus_ = nullptr;
};

} // namespace parcelflow::test
