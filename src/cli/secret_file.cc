#include "cli/secret_file.h"

#include "filter/native/native_file.h"

namespace bloomery::cli {

std::string key_file_of(const std::string& filter) {
  return filter + ".key";
}

Result<AnyFilter> open_filter(const std::string& name, const std::string& key_file, OpenOptions options) {
  options.recorded_keys = RecordedKeys::kKnown;  // the command makes keys by the rule that the filter records
  BLOOMERY_ASSIGN_OR_RETURN(const NativeHeader header, native_file_header(FileSystem::real(), name));
  if (header.hash_key_id == 0) {
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
