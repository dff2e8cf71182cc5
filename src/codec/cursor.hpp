// Cursors of lists: where the next page begins, as a text that its client
// cannot read meaning into, change, or carry to another list. The text is
// base64url(position || first 16 bytes of HMAC-SHA256); the code covers list,
// tenant, filter and position, each framed, so a cursor of another tenant, of
// another list, or under another filter does not open.
// Owner: whoever serves lists; the key lives as long as its cursors are good
// for. Thread rule: any thread. Errors: nothing, for whatever does not check.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace parcelflow::codec {

/// What a cursor belongs to.
struct cursor_scope {
  std::string_view list; ///< e.g. "orders"
  std::string_view tenant;
  std::string_view filter; ///< every parameter that chooses rows
};

class cursor_sealer {
public:
  /// `key`: at least 16 secret bytes (asserted).
  explicit cursor_sealer(std::string key);

  [[nodiscard]] std::string seal(const cursor_scope& scope,
                                 std::string_view position) const;
  [[nodiscard]] std::optional<std::string> open(const cursor_scope& scope,
                                                std::string_view text) const;

  /// A stable name for a value that a tenant may compare but not read, such as
  /// a log position: 16 characters.
  [[nodiscard]] std::string veil(std::string_view value) const;

private:
  [[nodiscard]] std::string code_of(const cursor_scope& scope,
                                    std::string_view position) const;
  /// Its own inverse.
  [[nodiscard]] std::string masked(std::string_view code,
                                   std::string_view position) const;

  std::string key_;
};

} // namespace parcelflow::codec
