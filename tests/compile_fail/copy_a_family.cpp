// A family is moved, never copied: one owner, one writer.
#include "storage/family.hpp"

#include <utility>

using parcelflow::storage::family;

family second_writer(family& rows) {
#ifdef PARCELFLOW_COMPILE_CONTROL
  return std::move(rows);
#else
  return family(rows);
#endif
}
