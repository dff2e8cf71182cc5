// Reading around an owner never becomes writing around it.
#include "storage/store.hpp"

using namespace parcelflow::storage;

void write_around(store& vault) {
  const snapshot now = vault.read();
#ifdef PARCELFLOW_COMPILE_CONTROL
  (void)now.get(owner::order, "key");
#else
  snapshot& rows = const_cast<snapshot&>(now);
  rows.put(owner::order, "key", "value");
#endif
}
