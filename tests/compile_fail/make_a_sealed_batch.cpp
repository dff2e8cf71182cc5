// Only a family seals; nobody can make up a batch for the committer.
#include "storage/family.hpp"

using namespace parcelflow::storage;

sealed_batch_ptr make_up([[maybe_unused]] family& rows,
                         [[maybe_unused]] sealed_batch::body* content) {
#ifdef PARCELFLOW_COMPILE_CONTROL
  return rows.seal();
#else
  return sealed_batch_ptr(
    new sealed_batch(std::unique_ptr<sealed_batch::body>(content)));
#endif
}
