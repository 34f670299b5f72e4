#include "cli/build_options.h"

#include <cstdlib>
#include <filesystem>

#include <unistd.h>

#include "base/file.h"
#include "cli/numbers.h"
#include "cli/secret_file.h"
#include "filter/native/native_file.h"

namespace bloomery::cli {
namespace {

Result<std::uint64_t> count_keys(InputFiles& input) {
  LineBatch batch;
  for (;;) {
    BLOOMERY_ASSIGN_OR_RETURN(const bool more, input.next(batch));
    if (!more) {
      break;
    }
  }
  const std::uint64_t count = input.lines_read();
  BLOOMERY_RETURN_IF_ERROR(input.rewind());
  return count;
}

}  // namespace

bool waits_for_levels(const BuildOptions& options) {
  const bool has_levels = !KeyLevels::all_of(options.keys.treatment_for_new().form).empty();
  return has_levels && (options.wish.questions.empty() || options.count.empty());
}

Result<std::optional<BuildCapacity>> count_or_counted(const BuildOptions& options, InputFiles& input) {
  std::optional<BuildCapacity> capacity;
  if (!options.count.empty()) {
    BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t keys, parse_count("-n", options.count));
    capacity = {.keys = keys};
  } else if (input.can_rewind()) {
    BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t keys, count_keys(input));
    capacity = {.keys = keys, .from = BuildCapacity::From::kCounted};
  }
  return capacity;
}

std::uint16_t recorded_digest_bytes(const BuildOptions& options, const KeyHasher& hasher) {
  return options.any_width ? std::uint16_t{0} : hasher.digest_bytes();
}

std::string assumed(const FilterWish& wish, const BuildCapacity& capacity) {
  std::string text;
  if (wish.assumes_fpp()) {
    text = "-p " + show_probability(kUsualFpp);
  }
  if (capacity.is_assumed()) {
    text += (text.empty() ? "-n " : ", -n ") + show_count(capacity.keys);
    switch (capacity.from) {
      case BuildCapacity::From::kSpooled:
        text += capacity.spooled_bytes == 0
                    ? " (the stream was kept in memory, and counted)"
                    : " (the stream was spooled, " + show_bytes(capacity.spooled_bytes) + ", and counted)";
        break;
      case BuildCapacity::From::kEntries:
        text += " (entries and levels counted)";
        break;
      case BuildCapacity::From::kFirstLayer:
        text += " for the first layer (it grows)";
        break;
      default:
        text += " (lines counted)";
    }
  }
  return text.empty() ? text : "; assumed " + text;
}

Result<NewHash> new_hash(const BuildOptions& options) {
  const std::string& named = options.keys.key_file();
  NewHash hash;
  hash.spec.id = HashId::kXxh3;  // the hash of earlier versions, so that new and old filters can be merged
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

std::string usual_spool_directory() {
  const char* const standard = std::getenv("TMPDIR");  // NOLINT(concurrency-mt-unsafe): never set by us
  return standard != nullptr && *standard != '\0' ? standard : "/tmp";
}

HashLog log_of_waiting_hashes() {
  return HashLog::create(FileSystem::real(),
                         {.directory = usual_spool_directory(), .memory_bytes = kWaitingMemory});
}

Result<std::string> spool_directory(const BuildOptions& options) {
  if (options.spool_directory.empty()) {  // the default is not checked, because it may never be used
    return usual_spool_directory();
  }
  const std::string& directory = options.spool_directory;
  std::error_code unknown;
  if (!std::filesystem::is_directory(directory, unknown) || ::access(directory.c_str(), W_OK | X_OK) != 0) {
    return Error::invalid_argument("--tmp",
                                   "expected a directory that can be written, found '" + directory + "'");
  }
  return directory;
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
