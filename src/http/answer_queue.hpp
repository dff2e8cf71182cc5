// The answers that one connection owes, in the order of its requests. A slot
// is opened when a request (or what did not parse as one) is read, filled once
// in any order, and leaves from the head. Slot ids only grow, so an answer
// that comes late or twice finds no open slot and is dropped.
// Owner: one session. Thread rule: the server's thread. Errors: none.
#pragma once

#include "http/server.hpp"
#include "http/wire.hpp"
#include "support/assert.hpp"

#include <cstdint>
#include <deque>
#include <optional>

namespace parcelflow::http {

class answer_queue {
public:
  explicit answer_queue(std::size_t slots_max) : slots_max_(slots_max) {
    PF_ASSERT(slots_max > 0);
  }

  /// Answers whose bytes are still being written count too: a client that
  /// does not read them gets no further request in.
  [[nodiscard]] bool full() const noexcept {
    return slots_.size() + leaving_ >= slots_max_;
  }
  [[nodiscard]] bool empty() const noexcept {
    return slots_.empty() && leaving_ == 0;
  }

  std::uint64_t open(wire_form form) {
    PF_ASSERT(!full());
    slots_.push_back({form, std::nullopt});
    return first_ + slots_.size() - 1;
  }

  /// False if that slot was answered already.
  bool fill(std::uint64_t id, response answer) {
    if (id < first_ || id - first_ >= slots_.size())
      return false;
    auto& place = slots_[id - first_].answer;
    if (place)
      return false;
    place = std::move(answer);
    return true;
  }

  /// Appends every answer that is ready at the head. `last`: no request will
  /// follow, so the newest slot's answer closes the connection.
  void take_ready(std::string& out, bool last, std::string_view date) {
    PF_ASSERT(leaving_ == 0);
    while (!slots_.empty() && slots_.front().answer) {
      auto& head = slots_.front();
      head.form.close = last && slots_.size() == 1;
      append_response(out, *head.answer, head.form, date);
      slots_.pop_front();
      ++first_;
      ++leaving_;
    }
  }

  /// What take_ready gave is on its way to the client.
  void written() noexcept { leaving_ = 0; }

private:
  struct slot {
    wire_form form;
    std::optional<response> answer;
  };

  std::size_t slots_max_;
  std::deque<slot> slots_;
  std::uint64_t first_ = 0; // id of slots_.front()
  std::size_t leaving_ = 0; // taken, not yet written
};

} // namespace parcelflow::http
