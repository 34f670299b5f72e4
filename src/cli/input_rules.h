// The rules by which `build` and `add` refuse an input that is likely not the list that was meant: a download that failed,
// an error page, a list of another format. A filter of it would answer no to everything.
//
//   no keys                                    --allow-empty takes them
//   more bad lines than may be left out        --max-bad N or P% (default: half of the lines)
//   a field that no line has                   --missing keep or skip, which says that this may be
//
// Not here: what of a line is its key (key_options.h).
#pragma once

#include <cstdint>
#include <string>

#include "bloomery/base/result.h"
#include "cli/key_options.h"
#include "cli/option_parser.h"
#include "keys/key_tally.h"

namespace bloomery::cli {

class InputRules {
 public:
  // Adds --allow-empty and --max-bad to a verb.
  void add_to(CLI::App& verb);
  // Reads the options. The caller calls it once, before keys.parse(): with --max-bad bad lines are left out. Errors:
  // kInvalidArgument.
  Status parse(KeyOptions& keys);

  bool allows_empty() const { return allow_empty_; }
  // Returns whether check() may refuse an input of which this much was read, whatever follows. A verb that changes a
  // file keeps the keys back meanwhile.
  bool may_yet_refuse(const KeyTally& tally, const KeyOptions& keys) const;
  // Checks a whole input. Errors: kInvalidArgument, with the counts.
  Status check(const KeyTally& tally, const KeyOptions& keys) const;
  // Returns how many of these things the closing line tells even if nobody asked for it: lines that were left out, and an
  // input without keys.
  static std::uint64_t amiss(const KeyTally& tally, const KeyOptions& keys);

 private:
  std::uint64_t most_bad(std::uint64_t lines) const;

  bool allow_empty_ = false;
  std::string max_bad_;
  bool is_share_ = true;
  double share_ = 0.5;
  std::uint64_t most_ = 0;
};

}  // namespace bloomery::cli
