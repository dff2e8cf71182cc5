// A look at a data directory that changes nothing: the judgement of
// store::open without the opening, for whoever wants to know beforehand.
// It holds the directory's lock while it looks, if there is one to hold.
// Thread rule: any thread. Errors: those of store::open.
#pragma once

#include "storage/store.hpp"

namespace parcelflow::storage {

enum class directory_state {
  nothing,    ///< no store yet
  unfinished, ///< a first open that was cut short; the next one completes it
  whole,
};

[[nodiscard]] domain::outcome<directory_state>
inspect(const store_options& options);

} // namespace parcelflow::storage
