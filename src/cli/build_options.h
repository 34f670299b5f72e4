// The options of `build`, shared by the build_*.cc files.
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

// The memory for keys or hashes that must be counted before the filter is made. Beyond it they are spooled to
// disk.
constexpr std::uint64_t kWaitingMemory = std::uint64_t{8} << 20;

// Returns true if all entries of a block list must be read first: only then the number of questions per text
// is known, and so the fpp of one question.
bool waits_for_levels(const BuildOptions& options);

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
Result<std::optional<BuildCapacity>> count_or_counted(const BuildOptions& options, InputFiles& input);

// Returns the digest width that the new filter records: the common width of all keys, or 0 with --any-width.
std::uint16_t recorded_digest_bytes(const BuildOptions& options, const KeyHasher& hasher);

// Returns the end of the summary, which names the assumptions: "; assumed -p 0.001, -n 1,000 (lines
// counted)". Returns an empty text if both options were given.
std::string assumed(const FilterWish& wish, const BuildCapacity& capacity);

// The hash of a new filter, and the file of a new secret if --keyed makes one.
struct NewHash {
  HashSpec spec;
  std::string new_key_file;  // empty if there is no new secret

  // Saves the new secret. Call this before the filter is written, so that no filter exists without its
  // secret.
  Status save_key() const;
  // Removes the key file if the filter could not be written to `output`. Keeps it if the filter exists
  // nevertheless, because only the sync of its directory failed.
  void remove_key(const std::string& output) const;
};

// Returns TMPDIR, or /tmp.
std::string usual_spool_directory();

// Returns an empty log of hashes for a verb without --tmp. It uses kWaitingMemory and the default spool
// directory.
HashLog log_of_waiting_hashes();

// Returns --tmp, or the default directory for temporary files. Errors: kInvalidArgument unless --tmp is a
// writable directory.
Result<std::string> spool_directory(const BuildOptions& options);

// Parses --seed, --keyed and --key-file. Errors: kInvalidArgument if they contradict each other, or if the
// key file that --keyed would make already exists.
Result<NewHash> new_hash(const BuildOptions& options);

}  // namespace bloomery::cli
