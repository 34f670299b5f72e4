#include "cli/summary.h"

#include <CLI/CLI.hpp>
#include <unistd.h>

namespace bloomery::cli {

void SummaryChoice::add_to(CLI::App& verb) {
  CLI::Option* const asked =
      verb.add_flag("--summary", asked_for_, "a closing line on stderr (default: if stderr is a terminal)");
  verb.add_flag("--no-summary", declined_, "no closing line on stderr")->excludes(asked);
}

bool SummaryChoice::wanted() const {
  return asked_for_ || (!declined_ && ::isatty(STDERR_FILENO) == 1);
}

}  // namespace bloomery::cli
