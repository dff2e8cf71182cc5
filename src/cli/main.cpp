// parcelctl: talks to the ops console of a running daemon.
#include "cli/parcelctl.hpp"

int main(int argc, char** argv) {
  return parcelflow::cli::run_parcelctl(argc, argv);
}
