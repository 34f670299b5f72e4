// Decides whether a verb ends by printing a summary on stderr. The same rule applies to all verbs:
//
//   stderr is a terminal      the summary is printed
//   anything else             it is not printed, so that cron jobs and pipelines are silent on success
//   --summary, --no-summary   it is printed, or not, wherever stderr goes
//
// Warnings are no summary. If the result may mislead the caller (lines that were probably lost, keys that
// were not removed, keys that are no URLs), a verb prints a warning unless --no-summary is given.
#pragma once

#include <cstdint>

#include "cli/option_parser.h"

namespace bloomery::cli {

class SummaryChoice {
 public:
  // Adds both options to a verb.
  void add_to(CLI::App& verb);

  // Returns true if the summary is to be printed.
  bool wanted() const;
  // Returns true if a summary that also counts `amiss` problems is to be printed: with problems only
  // --no-summary prevents it.
  bool wanted_or_amiss(std::uint64_t amiss) const { return wanted() || (amiss != 0 && !declined_); }
  // Returns true for --no-summary: only errors and warnings about a filter are printed.
  bool declined() const { return declined_; }

 private:
  bool asked_for_ = false;
  bool declined_ = false;
};

}  // namespace bloomery::cli
