// What this binary was built from. The definition is generated at build time
// (cmake/Version.cmake) into a library of its own, `parcelflow_version`, which
// only the daemon links: whoever else needs a version is handed it.
// Thread rule: plain constants.
#pragma once

#include <string_view>

namespace parcelflow::support {

/// Versions of the project and of the libraries it was compiled against.
/// `git_commit` is 12 digits, with `-dirty` for a changed tree, or `unknown`.
struct build_versions {
  std::string_view project;
  std::string_view git_commit;
  std::string_view caf;
  std::string_view rocksdb;
  std::string_view nlohmann_json;
  std::string_view boost;
  std::string_view openssl;
};

[[nodiscard]] build_versions versions() noexcept;

} // namespace parcelflow::support
