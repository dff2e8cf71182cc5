// A row has no address outside the family that stages it: there is no way to
// name another owner when putting.
#include "storage/family.hpp"

using namespace parcelflow::storage;

void write_for_another(family& orders) {
#ifdef PARCELFLOW_COMPILE_CONTROL
  orders.put("key", "value");
#else
  orders.put(owner::inventory, "key", "value");
#endif
}
