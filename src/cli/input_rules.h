// `build` and `add` refuse an input that is probably not the intended list: a failed download, an error
// page, a list of another format. A filter of it would answer no to everything.
//
//   no keys                                    --allow-empty accepts it
//   more bad lines than may be skipped         --max-bad N or P% (default: half of the lines)
//   a field that no line has                   --missing keep or skip, which allows it
//
// key_options.h defines the key of a line.
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
  // Parses the options. Call it once, before keys.parse(), because --max-bad makes it skip bad lines.
  // Errors: kInvalidArgument.
  Status parse(KeyOptions& keys);

  bool allows_empty() const { return allow_empty_; }
  // Returns true if check() may refuse an input with this tally so far, whatever follows. Until then, a
  // verb that changes a file buffers the keys.
  bool may_yet_refuse(const KeyTally& tally, const KeyOptions& keys) const;
  // Checks the tally of the complete input. Errors: kInvalidArgument, with the counts.
  Status check(const KeyTally& tally, const KeyOptions& keys) const;
  // Returns the number of problems that the closing line reports in any case: skipped lines, and an input
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
