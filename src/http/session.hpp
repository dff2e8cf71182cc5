// One connection: reads requests, owes answers, keeps its deadlines. How bytes
// move (TCP or TLS) is left to `stream_session`.
//
//   opening ──> serving ──> finishing ──> closed
//  (handshake)             (no answer owed: half-close, discard, close)
//
// Deadlines are data, not timers: the door sweeps its sessions a few times a
// second, so a request costs no timer. At most one read and one write are
// under way; `reading_over_` says that no further request will be taken.
// Private to server.cpp (Boost). Owner: the door's registry, and each pending
// operation. Thread rule: the server's thread. Errors: the connection closes.
#pragma once

#include "http/answer_queue.hpp"
#include "http/door.hpp"
#include "http/request_reader.hpp"

#include <boost/asio/buffer.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <utility>

namespace parcelflow::http {

class session : public door_session {
public:
  session(door& owner, std::uint64_t id, std::string remote)
    : door_(owner), id_(id), remote_(std::move(remote)), reader_(owner.options),
      answers_(owner.options.pipeline_max) {}

  void start() final {
    deadline_ = after(door_.options.header_timeout);
    async_handshake();
  }

  /// Over the cap: the connection gets one answer and no say.
  void turn_away() { turned_away_ = true; }

  void answer(std::uint64_t slot, response value) final {
    if (answers_.fill(slot, std::move(value)))
      flush();
  }

  void drain() final {
    draining_ = true;
    if (phase_ == phase::opening)
      return close();
    if (reader_.where() == request_reader::stage::idle)
      reading_over_ = true;
    flush();
  }

  void sweep(deadline_clock::time_point now) final {
    if (writing_ && now >= write_deadline_)
      return close();
    if (now < deadline_)
      return;
    if (phase_ != phase::serving || waiting_ == wait::idle)
      return close();
    door_.counters.timeouts.fetch_add(1, std::memory_order_relaxed);
    refuse(refusals::timed_out());
  }

  void close() final {
    if (phase_ == phase::closed)
      return;
    if (phase_ != phase::finishing)
      door_.retire();
    phase_ = phase::closed;
    close_socket();
    door_.forget(id_);
  }

protected:
  virtual void async_handshake() = 0;
  virtual void async_read(asio::mutable_buffer into) = 0;
  virtual void async_write(asio::const_buffer bytes) = 0;
  virtual void async_goodbye() = 0; ///< the stream's own closing words
  virtual void async_discard(asio::mutable_buffer into) = 0;
  virtual void half_close() noexcept = 0;
  virtual void close_socket() noexcept = 0;

  // How each of them ends, never from inside the call.
  void on_handshake(bool ok) {
    if (phase_ != phase::opening)
      return;
    if (!ok)
      return close();
    phase_ = phase::serving;
    deadline_ = never;
    if (turned_away_)
      return say(refusals::too_many_connections());
    pump();
  }

  enum class read_end { data, end_of_stream, broken };

  void on_read(read_end end, std::size_t bytes) {
    reading_ = false;
    if (phase_ == phase::finishing)
      return end == read_end::data ? discard() : close();
    if (phase_ != phase::serving)
      return;
    if (end == read_end::broken)
      return close();
    if (end == read_end::end_of_stream)
      reading_over_ = true; // it may still wait for what it asked
    else if (!reading_over_)
      reader_.commit(bytes);
    pump();
  }

  void on_write(bool ok) {
    writing_ = false;
    if (phase_ != phase::serving)
      return;
    if (!ok)
      return close();
    answers_.written();
    pump();
  }

  void on_goodbye() {
    if (phase_ != phase::finishing)
      return;
    half_close();
    discard();
  }

private:
  enum class phase { opening, serving, finishing, closed };
  enum class wait { nothing, idle, head, body };

  static constexpr auto never = deadline_clock::time_point::max();
  static constexpr std::chrono::milliseconds linger{1000};
  static constexpr std::size_t kept_bytes_max = 64 * 1024;

  static deadline_clock::time_point after(std::chrono::milliseconds delay) {
    return deadline_clock::now() + delay;
  }

  /// Takes requests as far as bytes and free slots go, then asks for more.
  void pump() {
    while (phase_ == phase::serving && !reading_ && !reading_over_
           && !answers_.full()) {
      switch (reader_.next()) {
      case request_reader::event::need_more: read_more(); break;
      case request_reader::event::head: accept_head(); break;
      case request_reader::event::complete: accept_request(); break;
      case request_reader::event::refused: refuse(reader_.why()); break;
      }
    }
    flush();
    rearm();
  }

  void read_more() {
    reading_ = true;
    async_read(reader_.prepare());
  }

  void accept_head() {
    continue_due_ =
      !reader_.http_1_0() && reader_.head().header_count("expect") > 0;
  }

  void accept_request() {
    const wire_form form{reader_.head().method == "HEAD", false,
                         reader_.http_1_0()};
    if (draining_ || !reader_.keep_alive())
      reading_over_ = true;
    auto taken = reader_.take();
    taken->remote = remote_;
    waiting_ = wait::nothing; // the next request has a clock of its own
    deadline_ = never;
    continue_due_ = false;
    first_request_ = false;
    door_.hand_over(std::move(taken), id_, answers_.open(form));
  }

  /// Answers for the door itself, in the request's place, as the last word.
  void refuse(const refusal& why) {
    door_.counters.bad_requests.fetch_add(1, std::memory_order_relaxed);
    say(why);
  }

  void say(const refusal& why) {
    reading_over_ = true;
    continue_due_ = false;
    answers_.fill(answers_.open({}), problem_response(why.kind, why.detail));
    flush();
    rearm();
  }

  /// Joins the answers that are ready into one write.
  void flush() {
    if (writing_ || phase_ != phase::serving)
      return;
    out_.clear();
    if (out_.capacity() > kept_bytes_max)
      std::string().swap(out_);
    answers_.take_ready(out_, reading_over_, door_.date);
    if (out_.empty() && continue_due_ && answers_.empty()) {
      continue_due_ = false;
      out_ = "HTTP/1.1 100 Continue\r\n\r\n";
    }
    if (!out_.empty()) {
      writing_ = true;
      write_deadline_ = after(door_.options.idle_timeout);
      return async_write(asio::buffer(out_));
    }
    if (reading_over_ && answers_.empty())
      finish();
  }

  /// Every answer has left. To close with unread bytes would reset the
  /// connection and could destroy the last answer on its way, so the client is
  /// told the end and what it still sends is discarded for a moment.
  void finish() {
    phase_ = phase::finishing;
    deadline_ = after(linger);
    door_.retire();
    if (reading_)
      half_close(); // TLS cannot say goodbye beside a pending read
    else
      async_goodbye();
  }

  void discard() {
    PF_ASSERT(!reading_);
    reading_ = true;
    async_discard(asio::buffer(door_.scratch));
  }

  /// Sets the deadline for what the connection waits for now. The clock of a
  /// head or body runs from its first byte on, however often bytes arrive;
  /// none runs while it is us who are awaited.
  void rearm() {
    if (phase_ != phase::serving)
      return;
    const auto now_for = awaited();
    if (now_for == waiting_)
      return;
    waiting_ = now_for;
    const auto& options = door_.options;
    switch (waiting_) {
    case wait::nothing: deadline_ = never; break;
    case wait::idle:
      deadline_ =
        after(first_request_ ? options.header_timeout : options.idle_timeout);
      break;
    case wait::head: deadline_ = after(options.header_timeout); break;
    case wait::body: deadline_ = after(options.body_timeout); break;
    }
  }

  [[nodiscard]] wait awaited() const {
    if (!reading_ || reading_over_)
      return wait::nothing;
    switch (reader_.where()) {
    case request_reader::stage::head: return wait::head;
    case request_reader::stage::body: return wait::body;
    case request_reader::stage::idle: break;
    }
    return answers_.empty() ? wait::idle : wait::nothing;
  }

  door& door_;
  const std::uint64_t id_;
  const std::string remote_;
  request_reader reader_;
  answer_queue answers_;
  std::string out_; // the bytes of the write under way
  phase phase_ = phase::opening;
  wait waiting_ = wait::nothing;
  deadline_clock::time_point deadline_ = never;
  deadline_clock::time_point write_deadline_ = never;
  bool reading_ = false;
  bool writing_ = false;
  bool reading_over_ = false;
  bool draining_ = false;
  bool turned_away_ = false;
  bool first_request_ = true;
  bool continue_due_ = false;
};

} // namespace parcelflow::http
