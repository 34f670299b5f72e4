#include "table/logs/logged_file.h"

#include <utility>

namespace bloomery::table {

Result<hfile::OpenFilePointer> open_logged(const LoggedFile& file, const HFileOptions& options) {
  BLOOMERY_ASSIGN_OR_RETURN(auto opened,
                            hfile::OpenFile::open(file.path, options, {.files = file.bytes.get()}));
  // The bytes are destroyed after the file that reads them.
  const auto both = std::make_shared<std::pair<std::shared_ptr<RunFile>, hfile::OpenFilePointer>>(
      file.bytes, std::move(opened));
  return hfile::OpenFilePointer(both, both->second.get());
}

}  // namespace bloomery::table
