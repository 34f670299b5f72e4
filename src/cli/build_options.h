// The options of `build`, for the files that share the work.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/hash/hash128.h"
#include "cli/dialect_choice.h"
#include "cli/filter_choice.h"
#include "cli/key_options.h"
#include "cli/output_file.h"

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
  bool strict = false;
  bool no_summary = false;
  std::string spool_directory;  // --tmp
  std::string memory;           // --mem
  std::string part;             // --shards I/N
  std::vector<std::string> exception_files;
  bool members_win = false;
  KeyOptions keys;
  std::vector<std::string> files;

  bool has_exceptions() const { return !exception_files.empty(); }
};

// -n, or how many lines the input has. Errors: kInvalidArgument where it is a stream and -n was not given.
Result<std::uint64_t> count_or_counted(const BuildOptions& options, InputFiles& input);

// The hash of a new filter, and the file that its secret must be written to first, if it is a new one.
struct NewHash {
  HashSpec spec;
  std::string new_key_file;  // empty: none

  // Writes the secret of --keyed. To be called before the filter is written, so that none is without its key.
  Status save_key() const;
  // Takes it back, when the filter could not be written to `output`. It stays where the filter is there all the same,
  // since only the sync of its directory failed.
  void remove_key(const std::string& output) const;
};

// --tmp, or where temporary files go by default. Errors: kInvalidArgument unless --tmp is a directory that
// can be written.
Result<std::string> spool_directory(const BuildOptions& options);

// Saves the filter, or writes it to standard output.
Status write_filter(const BuildOptions& options, const OutputFile& output, const NativeFilter& filter,
                    const std::atomic<bool>& stop);

// Reads --seed, --keyed and --key-file. Errors: kInvalidArgument when they contradict each other, or the key
// file that --keyed would make is there.
Result<NewHash> new_hash(const BuildOptions& options);

}  // namespace bloomery::cli
