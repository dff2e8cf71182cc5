// What one owner sealed goes to the store; another family cannot take it in.
#include "storage/store.hpp"

using namespace parcelflow::storage;

void smuggle(store& vault, family& orders, [[maybe_unused]] family& stock) {
  const sealed_batch_ptr batch = orders.seal();
#ifdef PARCELFLOW_COMPILE_CONTROL
  vault.commit(std::span(&batch, 1));
#else
  (void)vault;
  stock.write(batch);
#endif
}
