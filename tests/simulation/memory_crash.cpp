// What a crash leaves of a memory_disk.
#include "tests/simulation/memory_files.hpp"

namespace parcelflow::simulation {

std::string_view to_string(crash_mode mode) noexcept {
  switch (mode) {
  case crash_mode::process: return "process";
  case crash_mode::power: return "power";
  case crash_mode::torn: return "torn";
  }
  return "?";
}

/// A name whose directory is gone is gone.
void memory_disk::drop_orphans() {
  for (auto at = now_.begin(); at != now_.end();)
    if (at->first != "/" && !now_.contains(parent_of(at->first)))
      at = now_.erase(at);
    else
      ++at;
}

std::shared_ptr<memory_disk>
memory_disk::after(crash_mode mode, chance& draw,
                   const test::disk_request* cut) const {
  const std::lock_guard guard(lock_);
  auto next = std::make_shared<memory_disk>();
  std::map<const inode*, inode_ptr> copies;
  const auto copy = [&](const inode_ptr& of) -> inode_ptr {
    if (!of)
      return nullptr; // a removed name
    auto& made = copies[of.get()];
    if (!made)
      made = std::make_shared<inode>(*of);
    return made;
  };
  next->now_.clear();
  next->stable_.clear();
  for (const auto& [path, file] : now_)
    next->now_.emplace(path, copy(file));
  for (const auto& [path, file] : stable_)
    next->stable_.emplace(path, copy(file));
  for (const auto& one : pending_)
    next->pending_.push_back({one.from, one.to, copy(one.what)});
  next->changes_ = changes_;
  next->free_bytes_ = free_bytes_;
  if (mode == crash_mode::process)
    return next;
  const bool torn = mode == crash_mode::torn;
  if (torn && cut != nullptr && cut->op == test::disk_op::append)
    if (const auto file = next->find(std::string(cut->path)))
      file->append(cut->data.substr(0, draw.below(cut->data.size() + 1)));
  const auto kept = torn ? draw.below(next->pending_.size() + 1) : 0;
  for (std::size_t i = 0; i < kept; ++i)
    apply(next->stable_, next->pending_[i]);
  next->pending_.clear();
  next->now_ = next->stable_;
  next->drop_orphans();
  next->stable_ = next->now_;
  for (const auto& [path, file] : next->now_)
    file->lose_unsynced(torn, draw);
  return next;
}

} // namespace parcelflow::simulation
