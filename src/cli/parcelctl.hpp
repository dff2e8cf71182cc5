// parcelctl: the console's client. One verb and out, or, on a terminal and
// without a verb, a shell.
#pragma once

namespace parcelflow::cli {

/// Returns the exit code (sysexits).
[[nodiscard]] int run_parcelctl(int argc, char** argv);

} // namespace parcelflow::cli
