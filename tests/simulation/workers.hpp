// Work in child processes, side by side: what each tells is collected as it
// comes, so of one that dies everything is known up to there.
// Named crash points and CAF's threads belong to a process, so lives that run
// at the same time need one each.
// Thread rule: call it before the process has threads; it forks.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace parcelflow::simulation {

using teller = std::function<void(const std::string&)>;

struct worker_end {
  std::string text;
  int status = 0; ///< as waitpid gives it; 0: well
};

[[nodiscard]] std::vector<worker_end> in_workers(
  unsigned count,
  const std::function<void(unsigned worker, const teller& tell)>& work);

} // namespace parcelflow::simulation
