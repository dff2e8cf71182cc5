#include "storage/engine.hpp"

namespace parcelflow::storage {

struct snapshot::impl {
  std::shared_ptr<engine> shared;
  const rocksdb::Snapshot* at = nullptr;

  impl(std::shared_ptr<engine> of)
    : shared(std::move(of)), at(shared->db->GetSnapshot()) {}
  impl(const impl&) = delete;
  impl& operator=(const impl&) = delete;
  ~impl() { shared->db->ReleaseSnapshot(at); }

  [[nodiscard]] rocksdb::ReadOptions options() const {
    rocksdb::ReadOptions options;
    options.snapshot = at;
    return options;
  }
};

snapshot::snapshot(std::unique_ptr<impl> self) : impl_(std::move(self)) {}
snapshot::snapshot(snapshot&&) noexcept = default;
snapshot& snapshot::operator=(snapshot&&) noexcept = default;
snapshot::~snapshot() = default;

snapshot snapshot::of(const std::shared_ptr<engine>& shared) {
  return snapshot(std::make_unique<impl>(shared));
}

std::optional<std::string> snapshot::get(owner of, std::string_view key) const {
  impl_->shared->check();
  std::string value;
  auto s = impl_->shared->db->Get(impl_->options(), impl_->shared->handle(of),
                                  slice(key), &value);
  if (s.IsNotFound())
    return std::nullopt;
  if (!s.ok())
    impl_->shared->fail("read", s);
  return value;
}

void snapshot::scan(owner of, std::string_view from, std::string_view upper,
                    const family::visitor& visit) const {
  impl_->shared->check();
  auto options = impl_->options();
  const rocksdb::Slice bound = slice(upper);
  options.iterate_upper_bound = &bound;
  const std::unique_ptr<rocksdb::Iterator> at(
    impl_->shared->db->NewIterator(options, impl_->shared->handle(of)));
  for (at->Seek(slice(from)); at->Valid(); at->Next())
    if (!visit(view(at->key()), view(at->value())))
      return;
  if (!at->status().ok())
    impl_->shared->fail("scan", at->status());
}

void snapshot::scan_back(owner of, std::string_view from,
                         std::string_view upper,
                         const family::visitor& visit) const {
  impl_->shared->check();
  auto options = impl_->options();
  const rocksdb::Slice first = slice(from);
  const rocksdb::Slice bound = slice(upper);
  options.iterate_lower_bound = &first;
  options.iterate_upper_bound = &bound;
  const std::unique_ptr<rocksdb::Iterator> at(
    impl_->shared->db->NewIterator(options, impl_->shared->handle(of)));
  for (at->SeekToLast(); at->Valid(); at->Prev())
    if (!visit(view(at->key()), view(at->value())))
      return;
  if (!at->status().ok())
    impl_->shared->fail("scan", at->status());
}

std::optional<std::pair<std::string, std::string>>
snapshot::first(owner of, std::string_view from, std::string_view upper) const {
  std::optional<std::pair<std::string, std::string>> found;
  scan(of, from, upper, [&](std::string_view key, std::string_view value) {
    found.emplace(key, value);
    return false;
  });
  return found;
}

std::optional<std::pair<std::string, std::string>>
snapshot::last(owner of, std::string_view from, std::string_view upper) const {
  std::optional<std::pair<std::string, std::string>> found;
  scan_back(of, from, upper, [&](std::string_view key, std::string_view value) {
    found.emplace(key, value);
    return false;
  });
  return found;
}

} // namespace parcelflow::storage
