// Which known-wrong variant this process is: at most one, named at its start.
// The copies of the product's files that cmake/mutate.py writes ask here, at
// each place where a variant differs.
// Thread rule: `choose` before there are threads; `chosen` from any.
#pragma once

#include <cstdint>
#include <string_view>

namespace parcelflow::mutants {

/// Stands in every program that has variants in it, and in no other.
[[nodiscard]] const char* marker() noexcept;

/// From now on this process is that variant; of an empty name it is none.
void choose(std::string_view name);

/// True in the process that is the variant of that name.
[[nodiscard]] bool chosen(std::string_view name) noexcept;

/// How often the chosen one was asked for: 0 means that nothing came by.
[[nodiscard]] std::uint64_t reached() noexcept;

} // namespace parcelflow::mutants
