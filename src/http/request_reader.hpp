// Bytes in, requests out: Beast's parser with the door's limits around it.
// The session reads from its stream into `prepare`d room, `commit`s, and asks
// `next` until more bytes are needed. Nothing is buffered beyond one header's
// worth of unparsed bytes and one body within its limit.
// Private to server.cpp (Boost). Owner: one session. Thread rule: the server's
// thread. Errors: a refusal, after which the reader must not be used.
#pragma once

#include "http/head_rules.hpp"
#include "http/server.hpp"
#include "support/assert.hpp"

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include <algorithm>
#include <memory>
#include <optional>

namespace parcelflow::http {

namespace asio = boost::asio;
namespace beast = boost::beast;

class request_reader {
public:
  enum class event { need_more, head, complete, refused };
  enum class stage { idle, head, body };

  explicit request_reader(const server_options& options)
    : options_(options), buffer_(options.header_bytes_max + read_chunk) {}

  asio::mutable_buffer prepare() {
    const auto room = buffer_.max_size() - buffer_.size();
    PF_ASSERT(room > 0);
    return buffer_.prepare(std::min(room, read_chunk));
  }
  void commit(std::size_t bytes) { buffer_.commit(bytes); }

  /// Where the request under way stands; idle = not one byte of it is here.
  [[nodiscard]] stage where() const noexcept {
    if (head_)
      return stage::body;
    return parser_ || buffer_.size() > 0 ? stage::head : stage::idle;
  }

  /// Advances by one event. `head` comes before the body is looked at.
  event next() {
    if (!head_) {
      if (buffer_.size() == 0)
        return event::need_more;
      return next_head();
    }
    while (!parser_->is_done()) {
      if (buffer_.size() == 0)
        return event::need_more;
      if (!parse()) {
        if (!short_of_bytes())
          return event::refused;
        if (buffer_.size() < buffer_.max_size())
          return event::need_more;
        return refuse(refusals::invalid("a chunk header is too long"));
      }
    }
    return event::complete;
  }

  /// After `head`: the request without its body.
  [[nodiscard]] const request& head() const { return *head_; }
  [[nodiscard]] bool http_1_0() const { return parser_->get().version() == 10; }
  [[nodiscard]] bool keep_alive() const { return parser_->keep_alive(); }

  /// After `complete`: the request. The reader is ready for the next one.
  std::shared_ptr<request> take() {
    auto done = std::move(head_);
    done->body = std::move(parser_->get().body());
    head_.reset();
    parser_.reset();
    return done;
  }

  /// After `refused`.
  [[nodiscard]] const refusal& why() const { return *refusal_; }

private:
  using parser = beast::http::request_parser<beast::http::string_body>;
  static constexpr std::size_t read_chunk = 8 * 1024;

  event next_head() {
    if (!parser_) {
      parser_.emplace();
      parser_->header_limit(
        static_cast<std::uint32_t>(options_.header_bytes_max));
      parser_->body_limit(options_.body_bytes_max);
      header_bytes_ = 0;
    }
    const bool parsed = parse();
    // The parser's limit is for the first line and the fields apart.
    if (header_bytes_ > options_.header_bytes_max)
      return refuse(refusals::header_too_large(options_));
    if (!parsed && short_of_bytes() && buffer_.size() < buffer_.max_size())
      return event::need_more;
    if (!parsed)
      return short_of_bytes() ? refuse(refusals::header_too_large(options_))
                              : event::refused;
    head_ = copy_head();
    if (auto no = judge_head(*head_, http_1_0(), options_))
      return refuse(std::move(*no));
    return event::head;
  }

  /// One step of the parser over what is buffered. False: see `error_`.
  bool parse() {
    const auto used = parser_->put(buffer_.cdata(), error_);
    buffer_.consume(used);
    header_bytes_ += used;
    if (error_ && error_ != beast::http::error::need_more)
      refuse(translate());
    return !error_;
  }

  [[nodiscard]] bool short_of_bytes() const {
    return error_ == beast::http::error::need_more;
  }

  event refuse(refusal why) {
    refusal_ = std::move(why);
    return event::refused;
  }

  [[nodiscard]] refusal translate() const {
    using beast::http::error;
    if (error_ == error::header_limit || error_ == error::buffer_overflow)
      return refusals::header_too_large(options_);
    if (error_ == error::body_limit)
      return refusals::body_too_large(options_);
    return refusals::invalid("the request does not parse: " + error_.message());
  }

  [[nodiscard]] std::shared_ptr<request> copy_head() const {
    const auto& message = parser_->get();
    auto copy = std::make_shared<request>();
    copy->method = std::string(message.method_string());
    copy->target = std::string(message.target());
    copy->headers.reserve(16);
    for (const auto& field : message)
      copy->headers.emplace_back(std::string(field.name_string()),
                                 std::string(field.value()));
    return copy;
  }

  const server_options& options_;
  beast::flat_buffer buffer_;
  std::optional<parser> parser_;
  std::shared_ptr<request> head_; // set once its head is parsed and accepted
  std::size_t header_bytes_ = 0;
  beast::error_code error_;
  std::optional<refusal> refusal_;
};

} // namespace parcelflow::http
