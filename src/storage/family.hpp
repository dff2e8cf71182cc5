// One owner's way into the store: a handle on ONE column family. It reads,
// stages, and seals what it staged into a batch for the committer. There is no
// way to name another family, the handle is move-only, and `store::take` gives
// each out once: so exactly one actor changes an owner's rows, and that single
// writer is the row lock.
//
// Decide purely, commit once, act after:
//   get()          sees rows that are staged but not durable yet, so that the
//                  next decision of this owner builds on the last one;
//   put()/erase()  stage into the open batch;
//   when_durable() queues what must leave only after everything staged so far
//                  is on stable storage: every answer goes through it, also
//                  one that wrote nothing but may have read a staged row;
//   seal()         closes the open batch and hands it over;
//   round_done()   the oldest sealed batch is durable: its continuations run.
//
// Thread rule: one thread, the owner's. Errors: a failed read has an unknown
// meaning for every decision built on it, so it is fail-stop (see store.hpp),
// and so is every call that reads or answers once the store has failed; no
// function here returns an error.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace parcelflow::storage {

struct engine;

enum class owner : std::uint8_t {
  order,
  inventory,
  relay,
  fulfillment,
  notification,
  dead_letter,
  bus,
  audit_feed,
};
inline constexpr std::size_t owner_count = 8;

[[nodiscard]] std::string_view to_string(owner of) noexcept;

/// What an owner staged between two seals; opaque, immutable, counted. Only a
/// family can make it, and only the store can write it.
class sealed_batch {
public:
  struct body;
  sealed_batch(const sealed_batch&) = delete;
  sealed_batch& operator=(const sealed_batch&) = delete;
  ~sealed_batch();

  [[nodiscard]] std::size_t rows() const noexcept;
  [[nodiscard]] std::size_t bytes() const noexcept;
  [[nodiscard]] const body& content() const noexcept { return *content_; }

private:
  friend class family;
  explicit sealed_batch(std::unique_ptr<body> content);
  std::unique_ptr<body> content_;
};
using sealed_batch_ptr = std::shared_ptr<const sealed_batch>;

class family {
public:
  family(family&&) noexcept;
  family& operator=(family&&) noexcept;
  family(const family&) = delete;
  family& operator=(const family&) = delete;
  ~family();

  [[nodiscard]] owner who() const noexcept;

  /// The staged row if there is one, else the durable one.
  [[nodiscard]] std::optional<std::string> get(std::string_view key);

  /// Visits durable rows with from <= key < upper in order until `visit`
  /// returns false. Staged rows are not seen.
  using visitor =
    std::function<bool(std::string_view key, std::string_view value)>;
  void scan(std::string_view from, std::string_view upper,
            const visitor& visit) const;
  /// The last durable row with from <= key < upper.
  [[nodiscard]] std::optional<std::pair<std::string, std::string>>
  last(std::string_view from, std::string_view upper) const;

  void put(std::string key, std::string value);
  void erase(std::string key);
  /// Stages a row that rides in the next round but starts none (cursors that
  /// may lag behind: a crash then repeats work, and loses none).
  void put_lazily(std::string key, std::string value);
  /// Removes the rows in [from, upper) that were put before this batch; its own
  /// rows stay. get() goes on seeing them until the round is done, so this is
  /// for rows that nobody reads again. In large, rare steps.
  void erase_range(std::string from, std::string upper);

  /// Runs `then` once everything staged so far is durable; at once if nothing
  /// is staged (lazy rows do not count). In the order of the calls, as long as
  /// something is staged.
  void when_durable(std::function<void()> then);

  /// Something is staged that must not wait for others.
  [[nodiscard]] bool must_commit() const noexcept;
  /// Something is staged at all, lazy rows included.
  [[nodiscard]] bool has_staged() const noexcept;
  /// Sealed batches whose round is not done.
  [[nodiscard]] std::size_t in_rounds() const noexcept;

  /// Closes the open batch; has_staged() must hold.
  [[nodiscard]] sealed_batch_ptr seal();
  /// The oldest sealed batch became durable.
  void round_done();

private:
  friend class store;
  struct impl;
  static family attach(const std::shared_ptr<engine>& shared, owner of);
  explicit family(std::unique_ptr<impl> self);
  std::unique_ptr<impl> impl_;
};

} // namespace parcelflow::storage
