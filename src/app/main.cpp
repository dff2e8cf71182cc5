// parcelflow: the daemon and its small commands.
#include "app/command_line.hpp"

int main(int argc, char** argv) {
  return parcelflow::app::run_command_line(argc, argv);
}
