// The command line of `parcelflow`: run, check, config show, token, evidence.
// stdout carries data, stderr talk. Exit codes are sysexits: 64 usage, 66 no
// input, 70 internal, 74 I/O, 75 try later, 78 configuration.
#pragma once

namespace parcelflow::app {

int run_command_line(int argc, char** argv);

} // namespace parcelflow::app
