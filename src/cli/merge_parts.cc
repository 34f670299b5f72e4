#include "cli/merge_parts.h"

#include <atomic>

#include "cli/stop_signal.h"
#include "filter/ribbon/ribbon_part.h"

namespace bloomery::cli {

bool merges_parts(std::span<const std::string> files) {
  return !spread_file_kind(FileSystem::real(), files.front()).empty();
}

Status merge_parts(std::span<const std::string> parts, const std::string& path, const OutputFile& output) {
  const std::atomic<bool>& stop = catch_stop_signals();
  return join_ribbon_parts(FileSystem::real(), parts, path, output.save_to(stop));
}

}  // namespace bloomery::cli
