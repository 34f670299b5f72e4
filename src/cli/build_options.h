// The options of `build`, shared by its source files.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/hash/hash128.h"
#include "cli/dialect_choice.h"
#include "cli/filter_choice.h"
#include "cli/input_rules.h"
#include "cli/key_options.h"
#include "cli/output_file.h"
#include "cli/summary.h"
#include "filter/spool/hash_log.h"

namespace bloomery::cli {

struct BuildOptions {
  std::string output;
  std::string count;
  FilterWish wish;
  DialectChoice dialect;
  std::string seed = "0";
  std::string note;
  bool keyed = false;
  bool force = false;
  LockWait wait = {};
  bool strict = false;
  SummaryChoice summary;
  std::string spool_directory;  // --tmp
  std::string memory;           // --mem
  std::string part;             // --shards I/N
  std::string ranges;           // --partition N
  std::string work_directory;   // --resume DIR
  std::vector<std::string> exception_files;
  bool members_win = false;
  bool any_width = false;
  KeyOptions keys;
  InputRules rules;
  std::vector<std::string> files;

  bool has_exceptions() const { return !exception_files.empty(); }
};

// The memory for keys or hashes that are buffered until they are counted. The rest is spooled to disk.
constexpr std::uint64_t kWaitingMemory = std::uint64_t{8} << 20;

// Returns true if all entries of a block list must be read before the number of questions of a text, and so
// the fpp of one question, is known.
bool waits_for_levels(const BuildOptions& options);

// The capacity of the new filter, and its source.
struct BuildCapacity {
  enum class From {
    kOption,      // -n, or the window of a filter that remembers this many keys
    kCounted,     // the lines were counted before they were read again
    kSpooled,     // the keys of a stream were counted while they were spooled
    kEntries,     // the entries and level keys of a block list were spooled
    kFirstLayer,  // unknown: the filter grows
  };
  std::uint64_t keys = 0;
  From from = From::kOption;
  std::uint64_t spooled_bytes = 0;  // kSpooled: on disk; 0 if memory held them

  bool is_assumed() const { return from != From::kOption; }
};

// Returns -n, or the number of lines in the input. Returns nothing if -n was not given and the input is a
// stream, whose keys must be spooled first.
Result<std::optional<BuildCapacity>> count_or_counted(const BuildOptions& options, InputFiles& input);

// Returns the digest width that the new filter records: the width of all keys, or 0 with --any-width.
std::uint16_t recorded_digest_bytes(const BuildOptions& options, const KeyHasher& hasher);

// Returns the end of the closing line, which states the assumptions: "; assumed -p 0.001, -n 1,000 (lines
// counted)". Returns nothing if both were given.
std::string assumed(const FilterWish& wish, const BuildCapacity& capacity);

// The hash of a new filter. If --keyed makes a new secret, this also has the file in which to save it
// first.
struct NewHash {
  HashSpec spec;
  std::string new_key_file;  // empty if there is no new secret

  // Writes the secret of --keyed. Call this before the filter is written, so that no filter exists without
  // its secret.
  Status save_key() const;
  // Removes the key file after the filter could not be written to `output`. Keeps it if the filter exists
  // nevertheless, because only the sync of its directory failed.
  void remove_key(const std::string& output) const;
};

// Returns TMPDIR, or /tmp.
std::string usual_spool_directory();

// Returns an empty log for the hashes of a verb without --tmp. It uses kWaitingMemory and the usual
// directory.
HashLog log_of_waiting_hashes();

// Returns --tmp, or the usual directory for temporary files. Errors: kInvalidArgument unless --tmp is a
// writable directory.
Result<std::string> spool_directory(const BuildOptions& options);

// Reads --seed, --keyed and --key-file. Errors: kInvalidArgument if they contradict each other, or the key
// file that --keyed would make exists.
Result<NewHash> new_hash(const BuildOptions& options);

}  // namespace bloomery::cli
