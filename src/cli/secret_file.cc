#include "cli/secret_file.h"

namespace bloomery::cli {
namespace {

Result<std::uint64_t> key_id_of(const std::string& name) {
  BLOOMERY_ASSIGN_OR_RETURN(
      const AnyFilter filter,
      AnyFilter::open(name, {.verify = Verify::kHeaderOnly, .accept_dirty = true, .without_secret = true}));
  return filter.native().hash_key_id();
}

}  // namespace

std::string key_file_of(const std::string& filter) {
  return filter + ".key";
}

Result<AnyFilter> open_filter(const std::string& name, const std::string& key_file, OpenOptions options) {
  BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t key_id, key_id_of(name));
  if (key_id == 0) {
    return AnyFilter::open(name, options);
  }
  const std::string file = key_file.empty() ? key_file_of(name) : key_file;
  const Result<HashSecret> secret = HashSecret::load(file);
  if (!secret && secret.error().code() == ErrorCode::kNotFound) {
    return Error::invalid_argument(
        name, "expected its key, without which nothing can be asked, found no file " + file +
                  (key_file.empty() ? ": name it (--key-file)" : ""));
  }
  if (!secret) {
    return secret.error();
  }
  options.secret = &*secret;
  return AnyFilter::open(name, options);
}

}  // namespace bloomery::cli
