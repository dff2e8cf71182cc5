// A daemon that dies again and again under load, over one directory.
//
// Each life has settings by chance: the committer, and a bus that repeats,
// reorders or breaks off. It ends by SIGKILL: at a random moment, at a
// named point, after or within a pause of SIGSTOP, or while it starts. Every so
// many deaths all comes to rest: the clients get their last answers, what three
// deaths exhausted is replayed, SIGTERM, exit 0, and the closed directory is
// judged against the ledger.
// Owner: the test. Thread rule: one thread drives; each client has its own.
// Errors: sentences. A loop that ended badly keeps its directory.
#pragma once

#include "tests/process/crash_client.hpp"
#include "tests/process/crash_verdict.hpp"
#include "tests/support/process.hpp"
#include "tests/support/temp_directory.hpp"

#include <cstdint>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace parcelflow::test {

struct crash_settings {
  std::uint64_t kills = 25;
  std::uint64_t rest_every = 100; ///< deaths
  std::uint32_t seed = 0;
  std::string committer = {}; ///< empty: by chance
};

struct crash_figures {
  std::uint64_t at_random = 0, at_a_point = 0, paused = 0, starting = 0;
  std::uint64_t starts = 0, rests = 0, replayed = 0;
  std::set<std::string> points = {}; ///< those that struck
};

class crash_loop {
public:
  explicit crash_loop(crash_settings of);
  crash_loop(const crash_loop&) = delete;
  crash_loop& operator=(const crash_loop&) = delete;
  ~crash_loop();

  /// All deaths; what is wrong, nothing if all is well.
  [[nodiscard]] std::vector<std::string> run();

  [[nodiscard]] const crash_figures& figures() const { return figures_; }
  /// One line: the seed and what happened.
  [[nodiscard]] std::string report() const;
  /// What the clients knew at the last rest, and what it was held against.
  [[nodiscard]] const crash_books& books() const { return books_; }
  [[nodiscard]] const std::string& directory() const {
    return daemon_.directory();
  }
  [[nodiscard]] const std::string& kept_at() const { return files_.path(); }

private:
  struct worker;
  void begin();
  void set_to_work();
  /// False if a client never got its last answer.
  bool let_finish();
  void die_once();
  void die_at_a_point();
  void die_after_a_pause();
  /// With a point, it dies at that passage of it.
  void launch(const std::string& point = {}, std::uint64_t countdown = 1);
  bool open_door();
  void kill_and_close();
  [[nodiscard]] bool comes_to_rest();
  [[nodiscard]] bool is_calm();
  void replay_the_exhausted();
  [[nodiscard]] std::uint64_t roll(std::uint64_t sides) {
    return chance_() % sides;
  }

  crash_settings settings_;
  crash_figures figures_;
  crash_verdict verdict_;
  crash_books books_;
  std::mt19937 chance_;
  temp_directory files_;
  daemon_process daemon_{files_ / "data", "crash-lab"};
  crash_ledger ledger_{files_ / "ledger"};
  crash_door door_{0};
  std::vector<crash_account> accounts_;
  std::vector<std::unique_ptr<worker>> workers_;
};

} // namespace parcelflow::test
