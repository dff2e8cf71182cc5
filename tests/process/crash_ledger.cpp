#include "tests/process/crash_ledger.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <array>
#include <fstream>
#include <string_view>

namespace parcelflow::test {

using nlohmann::json;

namespace {

constexpr std::array<std::string_view, 4> verbs = {"place", "decline", "cancel",
                                                   "complete"};

std::string_view name_of(crash_verb what) {
  return verbs.at(static_cast<std::size_t>(what));
}

class bookkeeper {
public:
  crash_books run(const std::string& file) {
    std::ifstream lines(file);
    for (std::string line; std::getline(lines, line);) {
      const auto one = json::parse(line);
      if (one.contains("verb"))
        open_[one.at("n")] = one;
      else
        result(one);
    }
    for (const auto& [number, what] : open_)
      books_.wrong.push_back("never answered: " + what.dump());
    return std::move(books_);
  }

private:
  void result(const json& of) {
    ++books_.requests;
    const int status = of.at("status");
    if (leaves_open(status)) {
      ++books_.unanswered;
      return;
    }
    const auto what = open_.extract(of.at("n").get<std::uint64_t>());
    REQUIRE_FALSE(what.empty());
    if (!fits(what.mapped(), status, of.at("orderId")))
      books_.wrong.push_back(what.mapped().dump() + " got " + of.dump());
  }

  bool fits(const json& what, int status, const std::string& order_id) {
    const std::string verb = what.at("verb");
    const std::pair name(what.at("tenant").get<std::string>(),
                         what.at("key").get<std::string>());
    if (verb == "decline")
      return status == 402;
    if (verb == "place") {
      const auto known =
        books_.orders
          .emplace(name, known_order{order_id, what.at("quantity"), {}})
          .first;
      return status == 201 && known->second.order_id == order_id;
    }
    const auto order = books_.orders.find(name);
    REQUIRE(order != books_.orders.end());
    auto& closed_by = order->second.closed_by;
    if (!closed_by.empty() && closed_by != verb)
      return status == 409;
    closed_by = verb;
    return status == 200;
  }

  crash_books books_;
  std::map<std::uint64_t, json> open_;
};

} // namespace

crash_ledger::crash_ledger(const std::string& file)
  : file_(::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600)) {
  REQUIRE_MESSAGE(file_ >= 0, "no ledger at " << file);
}

crash_ledger::~crash_ledger() {
  ::close(file_);
}

std::uint64_t crash_ledger::next_number() {
  const std::scoped_lock only(one_at_a_time_);
  return ++numbers_;
}

void crash_ledger::intend(const crash_intent& what) {
  write(json{{"n", what.number},
             {"verb", name_of(what.verb)},
             {"tenant", what.tenant},
             {"key", what.key},
             {"quantity", what.quantity}}
          .dump());
}

void crash_ledger::learn(std::uint64_t number, int status,
                         const std::string& order_id) {
  write(json{{"n", number}, {"status", status}, {"orderId", order_id}}.dump());
}

void crash_ledger::write(const std::string& line) {
  const auto bytes = line + "\n";
  const std::scoped_lock only(one_at_a_time_);
  const auto written = ::write(file_, bytes.data(), bytes.size());
  REQUIRE(written == static_cast<ssize_t>(bytes.size()));
  REQUIRE(::fdatasync(file_) == 0);
}

bool leaves_open(int status) {
  return status == 0 || status == 202 || status == 503 || status == 504;
}

std::map<std::string, known_stock> crash_books::stock() const {
  std::map<std::string, known_stock> of;
  for (const auto& [key, known] : orders) {
    auto& one = of[key.first];
    const auto quantity = static_cast<std::int64_t>(known.quantity);
    if (known.closed_by == "complete")
      one.taken += quantity;
    else if (known.closed_by.empty())
      one.reserved += quantity;
  }
  return of;
}

crash_books read_books(const std::string& file) {
  return bookkeeper().run(file);
}

} // namespace parcelflow::test
