#include "cli/waiting_hashes.h"

#include <cstdlib>

#include "base/file.h"

namespace bloomery::cli {

std::string usual_spool_directory() {
  const char* const standard = std::getenv("TMPDIR");  // NOLINT(concurrency-mt-unsafe): never set by us
  return standard != nullptr && *standard != '\0' ? standard : "/tmp";
}

HashLog log_of_waiting_hashes(const std::string& directory) {
  return HashLog::create(FileSystem::real(), {.directory = directory, .memory_bytes = kWaitingMemory});
}

}  // namespace bloomery::cli
