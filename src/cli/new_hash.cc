#include "cli/new_hash.h"

#include "base/file.h"
#include "bloomery/hash/hash_secret.h"
#include "cli/build_plan.h"
#include "cli/secret_file.h"
#include "filter/native/native_file.h"

namespace bloomery::cli {

Result<NewHash> new_hash(const BuildPlan& plan) {
  const std::string& named = plan.keys.key_file();
  NewHash hash;
  hash.spec.id = HashId::kXxh3;  // the hash of earlier versions, so that new and old filters can be merged
  hash.spec.seed = plan.seed;
  if (!plan.keyed && named.empty()) {
    return hash;
  }
  if (hash.spec.seed != 0) {
    return Error::invalid_argument("--seed", "expected none with a key, which takes its place");
  }
  if (!plan.keyed) {
    BLOOMERY_ASSIGN_OR_RETURN(const HashSecret secret, HashSecret::load(named));
    hash.spec = keyed_hash(secret);
    return hash;
  }
  if (named.empty() && plan.output == "-") {
    return Error::invalid_argument("--key-file", "expected a file for the key, since the filter has no name");
  }
  hash.new_key_file = named.empty() ? key_file_of(plan.output) : named;
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

void NewHash::remove_key(const std::string& output) const {
  if (new_key_file.empty()) {
    return;
  }
  const Result<NativeHeader> header = native_file_header(FileSystem::real(), output);
  if (!header || header->hash_key_id != spec.secret.id()) {
    (void)FileSystem::real().remove(new_key_file);
  }
}

}  // namespace bloomery::cli
