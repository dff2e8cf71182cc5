// Only store::take gives out a family.
#include "storage/store.hpp"

using namespace parcelflow::storage;

family own_family([[maybe_unused]] store& vault) {
#ifdef PARCELFLOW_COMPILE_CONTROL
  return vault.take(owner::order);
#else
  return family(nullptr);
#endif
}
