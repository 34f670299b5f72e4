// Whether a verb closes with a line on stderr that sums up what it did. One rule for all verbs:
//
//   stderr is a terminal      the summary is printed
//   anything else             it is not, so that cron jobs and pipelines are silent when all is well
//   --summary, --no-summary   it is printed, or not, wherever stderr goes
//
// A warning is no summary. Where data is not what the caller may think (lines that were likely lost, keys that were not
// removed, keys that are no URLs), a verb says so unless it was told --no-summary.
#pragma once

#include <cstdint>

#include "cli/option_parser.h"

namespace bloomery::cli {

class SummaryChoice {
 public:
  // Adds both options to a verb.
  void add_to(CLI::App& verb);

  // Whether the summary is printed.
  bool wanted() const;
  // Whether to print what also counts something that is amiss: `amiss` of them.
  bool wanted_or_amiss(std::uint64_t amiss) const { return wanted() || (amiss != 0 && !declined_); }
  // Whether --no-summary was given, so that only errors and warnings of a filter are told.
  bool declined() const { return declined_; }

 private:
  bool asked_for_ = false;
  bool declined_ = false;
};

}  // namespace bloomery::cli
