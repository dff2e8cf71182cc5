// The door that the store uses is closed to everybody else.
#include "storage/store.hpp"

using namespace parcelflow::storage;

family own_family([[maybe_unused]] store& vault,
                  [[maybe_unused]] const std::shared_ptr<engine>& shared) {
#ifdef PARCELFLOW_COMPILE_CONTROL
  return vault.take(owner::order);
#else
  return family::attach(shared, owner::order);
#endif
}
