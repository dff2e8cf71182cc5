// The daemon: everything of one process put together and taken apart again.
// Start: signals blocked -> setup judged -> access -> store, bus, actors ->
// recovery -> door -> ready. A first SIGTERM drains in order within
// `shutdown.deadline_ms`, a second one ends at once but clean; SIGHUP reads
// tokens and certificate again. Thread rule: the main thread. Errors: an exit
// code (sysexits) and one log line that says what was wrong.
#pragma once

#include "app/config.hpp"
#include "support/version.hpp"

namespace parcelflow::app {

/// Runs until a signal ends it; the process's exit code.
int run_daemon(const loaded_config& loaded,
               const support::build_versions& versions);

/// Configuration, directory and bus, without starting: what `run` would
/// refuse is refused here, with the same words. Changes nothing.
int check_setup(const loaded_config& loaded);

} // namespace parcelflow::app
