#include "storage/pauses.hpp"

#include "storage/keys.hpp"

#include <utility>

namespace parcelflow::storage {

std::string pause_key_of(const domain::pause_target& target) {
  return pause_key(static_cast<std::uint8_t>(target.scope), target.tenant_id,
                   target.consumer, target.aggregate_id);
}

domain::outcome<domain::pause_set> read_pauses(const snapshot& at) {
  domain::pause_set set;
  domain::status read = domain::done();
  const auto from = key_writer(kind::pause).take();
  at.scan(owner::dead_letter, from, prefix_end(from),
          [&](std::string_view key, std::string_view value) {
            key_reader in(key);
            domain::pause_target target;
            target.tenant_id = in.text();
            target.consumer = in.text();
            target.aggregate_id = in.text();
            target.scope = static_cast<domain::pause_scope>(in.byte());
            auto row = domain::decode_pause(value);
            if (!row)
              read = row.why();
            else
              set.paused.emplace(std::move(target), *std::move(row));
            return read.ok();
          });
  if (!read)
    return read.why();
  return set;
}

} // namespace parcelflow::storage
