#include "cli/output_file.h"

#include <utility>

#include "base/file.h"

namespace bloomery::cli {

Result<OutputFile> OutputFile::claim(std::string_view verb, const std::string& path, bool may_replace,
                                     const LockWait& wait) {
  OutputFile output;
  output.may_replace_ = may_replace;
  if (path == "-") {
    return output;
  }
  if (!may_replace && FileSystem::real().facts(path)) {
    return Error::invalid_argument(path, "exists already; --force replaces it");
  }
  BLOOMERY_ASSIGN_OR_RETURN(output.lock_, wait.take(verb, path, nullptr));
  return output;
}

SaveTo OutputFile::save_to(const std::atomic<bool>& stop) const {
  return {.replace = may_replace_, .cancelled = &stop, .lock = lock_ ? &*lock_ : nullptr};
}

}  // namespace bloomery::cli
