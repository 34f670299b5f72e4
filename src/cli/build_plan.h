// The plan of `build` has its options as numbers and choices. BuildOptions::plan() makes it at the border,
// and all builders (builders.h) read it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/filter/ribbon_builder.h"
#include "cli/filter_choice.h"
#include "cli/input_rules.h"
#include "cli/key_options.h"
#include "cli/lock_wait.h"
#include "cli/summary.h"
#include "cli/waiting_hashes.h"
#include "keys/input_files.h"
#include "keys/key_hasher.h"

namespace bloomery::cli {

// --shards: the part that is built, counted from 1, and the number of parts.
struct PartChoice {
  std::uint32_t part;
  std::uint32_t parts;
};

struct BuildPlan {
  std::string output;
  FilterChoice filter;
  std::string dialect;  // --dialect; empty: a filter of ours
  std::uint64_t seed = 0;
  std::string note;
  bool keyed = false;
  bool force = false;
  LockWait wait = {};
  bool strict = false;
  SummaryChoice summary;
  std::string spool_directory = usual_spool_directory();
  bool names_spool_directory = false;                              // --tmp was given
  std::uint64_t memory_bytes = RibbonBuildOptions().memory_bytes;  // --mem
  std::optional<PartChoice> part = {};                             // --shards
  std::optional<std::uint32_t> ranges = {};                        // --partition
  std::string work_directory;                                      // --resume DIR
  std::vector<std::string> exception_files;
  bool members_win = false;
  bool any_width = false;
  KeyOptions keys;
  InputRules rules;
  std::vector<std::string> files;

  bool has_exceptions() const { return !exception_files.empty(); }
  // Returns true if all entries of a block list must be read first: only then the number of questions per
  // text is known, and so the fpp of one question.
  bool waits_for_levels() const;
  // Returns the digest width that the new filter records: the common width of all keys, or 0 with
  // --any-width.
  std::uint16_t recorded_digest_bytes(const KeyHasher& hasher) const;
};

// The capacity of the new filter, and where it comes from.
struct BuildCapacity {
  enum class From {
    kOption,      // -n, or a window of this many keys
    kCounted,     // the lines were counted, and are read again
    kSpooled,     // the keys of a stream were counted as they were spooled
    kEntries,     // the entries and level keys of a block list were counted as they were spooled
    kFirstLayer,  // unknown: the filter grows beyond its first layer
  };
  std::uint64_t keys = 0;
  From from = From::kOption;
  std::uint64_t spooled_bytes = 0;  // for kSpooled: bytes on disk; 0 if the keys fit into memory

  bool is_assumed() const { return from != From::kOption; }
};

// Returns -n, or the number of lines in the input. Returns nothing without -n if the input is a stream: its
// keys must be spooled first.
Result<std::optional<BuildCapacity>> count_or_counted(const BuildPlan& plan, InputFiles& input);

// Returns the end of the summary, which names the assumptions: "; assumed -p 0.001, -n 1,000 (lines
// counted)". Returns an empty text if both options were given.
std::string assumed(const FilterChoice& choice, const BuildCapacity& capacity);

}  // namespace bloomery::cli
