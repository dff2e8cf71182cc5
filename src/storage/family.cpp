#include "storage/family.hpp"

#include "storage/engine.hpp"
#include "storage/keys.hpp"
#include "support/assert.hpp"

#include <deque>
#include <unordered_map>

namespace parcelflow::storage {
namespace {

/// Of a row in a batch, besides key and value: tag, family, two lengths.
constexpr std::size_t row_overhead = 16;

/// Not noexcept on purpose: libstdc++ keeps the hash in a node only of a hash
/// that may throw, and without it every walk hashes its neighbours again.
struct text_hash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>{}(text);
  }
};

/// A row that is staged and not durable yet.
struct staged_row {
  std::optional<std::string> value; // nothing: erased
  std::uint64_t batch = 0;          // number of the last batch that has it
};

using overlay =
  std::unordered_map<std::string, staged_row, text_hash, std::equal_to<>>;

/// The rows of one batch, by their places in the overlay, and what runs once
/// they are durable.
struct group {
  std::uint64_t number = 1;
  std::vector<overlay::value_type*> rows;
  std::vector<std::pair<std::string, std::string>> ranges;
  std::vector<std::function<void()>> then;
  bool urgent = false;
  [[nodiscard]] bool empty() const { return rows.empty() && ranges.empty(); }
};

/// Rows in [from, upper) go. RocksDB before 9.2 shares its insert hints between
/// rows and range tombstones, and aborts or loses rows when both use one
/// (facebook/rocksdb#12558). So the tombstone begins at a key that no row can
/// have and that takes no hint (`hintless_zeros`), and the few keys that are
/// skipped by this go one by one.
void erase_range_in(rocksdb::WriteBatch& batch, rocksdb::ColumnFamilyHandle* in,
                    std::string from, const std::string& upper) {
  rocksdb::Status s;
  for (std::size_t i = 0; i < hintless_zeros && s.ok() && from < upper; ++i) {
    s = batch.Delete(in, slice(from));
    from.push_back('\0');
  }
  if (s.ok() && from < upper)
    s = batch.DeleteRange(in, slice(from), slice(upper));
  PF_ASSERT(s.ok());
}

} // namespace

std::string_view to_string(owner of) noexcept {
  switch (of) {
  case owner::order: return "order";
  case owner::inventory: return "inventory";
  case owner::relay: return "relay";
  case owner::fulfillment: return "fulfillment";
  case owner::notification: return "notification";
  case owner::dead_letter: return "dead_letter";
  case owner::bus: return "bus";
  case owner::audit_feed: return "audit_feed";
  }
  return "unknown";
}

sealed_batch::sealed_batch(std::unique_ptr<body> content)
  : content_(std::move(content)) {}
sealed_batch::~sealed_batch() = default;
std::size_t sealed_batch::rows() const noexcept {
  return content_->batch.Count();
}
std::size_t sealed_batch::bytes() const noexcept {
  return content_->batch.GetDataSize();
}

struct family::impl {
  std::shared_ptr<engine> shared;
  owner who = owner::order;
  rocksdb::ColumnFamilyHandle* handle = nullptr;
  overlay staged;
  group open;
  std::deque<group> sealed;

  void stage(std::string key, std::optional<std::string> value, bool urgent) {
    auto [at, fresh] = staged.try_emplace(std::move(key));
    if (fresh || at->second.batch != open.number)
      open.rows.push_back(&*at);
    at->second.value = std::move(value);
    at->second.batch = open.number;
    open.urgent = open.urgent || urgent;
  }
  void forget(const group& durable) {
    for (auto* row : durable.rows)
      if (row->second.batch == durable.number)
        staged.erase(staged.find(row->first));
  }
};

family::family(std::unique_ptr<impl> self) : impl_(std::move(self)) {}
family family::attach(const std::shared_ptr<engine>& shared, owner of) {
  auto self = std::make_unique<impl>();
  self->shared = shared;
  self->who = of;
  self->handle = shared->handle(of);
  return family(std::move(self));
}

family::family(family&&) noexcept = default;
family& family::operator=(family&&) noexcept = default;
family::~family() = default;

owner family::who() const noexcept {
  return impl_->who;
}

std::optional<std::string> family::get(std::string_view key) {
  impl_->shared->check();
  if (!impl_->staged.empty()) {
    const auto at = impl_->staged.find(key);
    if (at != impl_->staged.end())
      return at->second.value;
  }
  std::string value;
  auto s = impl_->shared->db->Get({}, impl_->handle, slice(key), &value);
  if (s.IsNotFound())
    return std::nullopt;
  if (!s.ok())
    impl_->shared->fail("read", s);
  return value;
}

void family::scan(std::string_view from, std::string_view upper,
                  const visitor& visit) const {
  impl_->shared->check();
  rocksdb::ReadOptions options;
  const rocksdb::Slice bound = slice(upper);
  options.iterate_upper_bound = &bound;
  const std::unique_ptr<rocksdb::Iterator> at(
    impl_->shared->db->NewIterator(options, impl_->handle));
  for (at->Seek(slice(from)); at->Valid(); at->Next())
    if (!visit(view(at->key()), view(at->value())))
      return;
  if (!at->status().ok())
    impl_->shared->fail("scan", at->status());
}

std::optional<std::pair<std::string, std::string>>
family::last(std::string_view from, std::string_view upper) const {
  impl_->shared->check();
  rocksdb::ReadOptions options;
  const rocksdb::Slice first = slice(from);
  const rocksdb::Slice bound = slice(upper);
  options.iterate_lower_bound = &first;
  options.iterate_upper_bound = &bound;
  const std::unique_ptr<rocksdb::Iterator> at(
    impl_->shared->db->NewIterator(options, impl_->handle));
  at->SeekToLast();
  if (at->Valid())
    return std::pair(at->key().ToString(), at->value().ToString());
  if (!at->status().ok())
    impl_->shared->fail("scan", at->status());
  return std::nullopt;
}

void family::put(std::string key, std::string value) {
  impl_->stage(std::move(key), std::move(value), true);
}

void family::erase(std::string key) {
  impl_->stage(std::move(key), std::nullopt, true);
}

void family::put_lazily(std::string key, std::string value) {
  impl_->stage(std::move(key), std::move(value), false);
}

void family::erase_range(std::string from, std::string upper) {
  PF_ASSERT(from <= upper);
  impl_->open.ranges.emplace_back(std::move(from), std::move(upper));
  impl_->open.urgent = true;
}

void family::when_durable(std::function<void()> then) {
  impl_->shared->check();
  if (impl_->open.urgent)
    impl_->open.then.push_back(std::move(then));
  else if (!impl_->sealed.empty())
    impl_->sealed.back().then.push_back(std::move(then));
  else
    then();
}

bool family::must_commit() const noexcept {
  return impl_->open.urgent;
}
bool family::has_staged() const noexcept {
  return !impl_->open.empty();
}
std::size_t family::in_rounds() const noexcept {
  return impl_->sealed.size();
}

sealed_batch_ptr family::seal() {
  PF_ASSERT(has_staged());
  auto& open = impl_->open;
  std::size_t bytes = 0;
  for (const auto* row : open.rows)
    bytes += row->first.size() + row_overhead
             + (row->second.value ? row->second.value->size() : 0);
  auto body = std::make_unique<sealed_batch::body>(bytes);
  auto& batch = body->batch;
  for (const auto& [from, upper] : open.ranges)
    erase_range_in(batch, impl_->handle, from, upper);
  for (const auto* row : open.rows) {
    const auto& value = row->second.value;
    auto s = value ? batch.Put(impl_->handle, slice(row->first), slice(*value))
                   : batch.Delete(impl_->handle, slice(row->first));
    PF_ASSERT(s.ok());
  }
  const std::uint64_t next = open.number + 1;
  impl_->sealed.push_back(std::move(open));
  open = group{};
  open.number = next;
  return sealed_batch_ptr(new sealed_batch(std::move(body)));
}

void family::round_done() {
  PF_ASSERT(!impl_->sealed.empty());
  group durable = std::move(impl_->sealed.front());
  impl_->sealed.pop_front();
  impl_->forget(durable);
  for (auto& then : durable.then)
    then();
}

} // namespace parcelflow::storage
