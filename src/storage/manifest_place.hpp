// Which MANIFEST a store goes by, and how long it is. RocksDB forgets quietly
// what stood behind a cut in it: tables that were flushed drop out, while the
// logs they came from are gone already. So `acked.mark` keeps the place up to
// which it is on stable storage, and the open compares.
// Private to the storage layer. Thread rule: any thread. Errors:
// storage_corrupt for a CURRENT that names none, storage_io.
#pragma once

#include "storage/acked_mark.hpp"

#include <rocksdb/db.h>

#include <optional>
#include <string>

namespace parcelflow::storage {

/// The end of the MANIFEST that is synced; nothing if RocksDB does not say.
[[nodiscard]] std::optional<manifest_place> manifest_in_use(rocksdb::DB& of);
/// What CURRENT names in that directory, and its length.
[[nodiscard]] domain::outcome<manifest_place>
manifest_on_disk(rocksdb::Env& env, const std::string& store);
/// Is it as long as it was when it was marked, or a later one?
[[nodiscard]] domain::status check_manifest(const manifest_place& marked,
                                            const manifest_place& found);

} // namespace parcelflow::storage
