// The hash of a new filter, and the file of a new secret if --keyed makes one.
#pragma once

#include <string>

#include "bloomery/base/result.h"
#include "bloomery/hash/hash128.h"

namespace bloomery::cli {

struct BuildPlan;

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

// Returns the hash that --seed, --keyed and --key-file mean. Errors: kInvalidArgument if they contradict each
// other, or if the key file that --keyed would make already exists.
Result<NewHash> new_hash(const BuildPlan& plan);

}  // namespace bloomery::cli
