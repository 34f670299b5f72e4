// `build` and `add` refuse an input that is probably not the intended list: a failed download, an error page,
// a list of another format. A filter made from it would answer no to nearly everything.
//
//   no keys                                    --allow-empty accepts this
//   more bad lines than may be skipped         --max-bad N or P% (default: half of the lines)
//   a field that no line has                   --missing keep or skip accepts this
//
// key_options.h defines what the key of a line is.
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
  // Parses the options. Call this before keys.parse(), because --max-bad implies --skip-bad-lines. Errors:
  // kInvalidArgument.
  Status parse(KeyOptions& keys);

  bool allows_empty() const { return allow_empty_; }
  // Returns true if check() may still refuse the input, given its tally so far. Until then, a verb that
  // changes a file buffers the keys.
  bool may_yet_refuse(const KeyTally& tally, const KeyOptions& keys) const;
  // Checks the tally of the complete input. Errors: kInvalidArgument, with the counts.
  Status check(const KeyTally& tally, const KeyOptions& keys) const;
  // Returns the number of problems that are reported even with --no-summary: skipped lines, and an input
  // without keys.
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
