// What clients of a daemon that keeps dying know for certain: a file of JSON
// lines, an intent before each request and a result after it, each on stable
// storage before the client goes on. The books are made of that file alone.
// Owner: the test. Thread rule: write from any thread; read after the writers.
// Errors: a file that cannot be written or read fails the test.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace parcelflow::test {

enum class crash_verb : std::uint8_t { place, decline, cancel, complete };

struct crash_intent {
  std::uint64_t number = 0; ///< of the intent; a repetition has the same
  crash_verb verb = crash_verb::place;
  std::string tenant = {};
  std::string key = {}; ///< of the order: its idempotency key
  std::uint64_t quantity = 0;
};

class crash_ledger {
public:
  explicit crash_ledger(const std::string& file);
  crash_ledger(const crash_ledger&) = delete;
  crash_ledger& operator=(const crash_ledger&) = delete;
  ~crash_ledger();

  [[nodiscard]] std::uint64_t next_number();
  void intend(const crash_intent& what);
  /// Status 0: no answer came.
  void learn(std::uint64_t number, int status, const std::string& order_id);

private:
  void write(const std::string& line);

  std::mutex one_at_a_time_;
  std::uint64_t numbers_ = 0;
  int file_;
};

/// True for an answer that leaves open what became of the request: none at
/// all, 202 (outcome pending), 503 and 504. The client asks again.
[[nodiscard]] bool leaves_open(int status);

struct known_order {
  std::string order_id = {};
  std::uint64_t quantity = 0;
  std::string closed_by = {}; ///< "cancel", "complete" or empty
};

/// What must have become of a tenant's stock.
struct known_stock {
  std::int64_t taken = 0;    ///< by completed orders
  std::int64_t reserved = 0; ///< by open ones
};

struct crash_books {
  /// By tenant and key: every order that was acknowledged.
  std::map<std::pair<std::string, std::string>, known_order> orders;
  std::vector<std::string> wrong; ///< answers that must not be
  std::uint64_t requests = 0;
  std::uint64_t unanswered = 0; ///< requests; each was asked again

  [[nodiscard]] std::map<std::string, known_stock> stock() const;
};

[[nodiscard]] crash_books read_books(const std::string& file);

} // namespace parcelflow::test
