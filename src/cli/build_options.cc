#include "cli/build_options.h"

#include "base/file.h"
#include "cli/numbers.h"
#include "cli/secret_file.h"

namespace bloomery::cli {

Result<NewHash> new_hash(const BuildOptions& options) {
  const std::string& named = options.keys.key_file();
  NewHash hash;
  BLOOMERY_ASSIGN_OR_RETURN(hash.spec.seed, parse_count("--seed", options.seed));
  if (!options.keyed && named.empty()) {
    return hash;
  }
  if (hash.spec.seed != 0) {
    return Error::invalid_argument("--seed", "expected none with a key, which takes its place");
  }
  if (!options.keyed) {
    BLOOMERY_ASSIGN_OR_RETURN(const HashSecret secret, HashSecret::load(named));
    hash.spec = keyed_hash(secret);
    return hash;
  }
  if (named.empty() && options.output == "-") {
    return Error::invalid_argument("--key-file", "expected a file for the key, since the filter has no name");
  }
  hash.new_key_file = named.empty() ? key_file_of(options.output) : named;
  if (FileSystem::real().facts(hash.new_key_file)) {
    return Error::invalid_argument(
        hash.new_key_file,
        "exists already, and may be the key of other filters: without --keyed, --key-file "
        "uses it");
  }
  BLOOMERY_ASSIGN_OR_RETURN(const HashSecret secret, HashSecret::generate());
  hash.spec = keyed_hash(secret);
  return hash;
}

Status NewHash::save_key() const {
  return new_key_file.empty() ? Status() : spec.secret.save_new(new_key_file);
}

void NewHash::remove_key() const {
  if (!new_key_file.empty()) {
    (void)FileSystem::real().remove(new_key_file);
  }
}

}  // namespace bloomery::cli
