#include "cli/output_file.h"

#include <cerrno>
#include <cstddef>
#include <span>

#include <unistd.h>

#include "base/file.h"
#include "bloomery/dialects/dialects.h"
#include "bloomery/filter/native_filter.h"
#include "cli/output.h"
#include "cli/replaced_file.h"

namespace bloomery::cli {

Result<OutputFile> OutputFile::claim(std::string_view verb, const std::string& path, bool may_replace,
                                     const LockWait& wait, std::string_view dialect) {
  OutputFile output(path);
  output.may_replace_ = may_replace;
  if (output.is_standard_output()) {
    return output;
  }
  if (!may_replace && FileSystem::real().facts(path)) {
    return Error::invalid_argument(path, "exists already; --force replaces it").with_errno(EEXIST);
  }
  BLOOMERY_RETURN_IF_ERROR(check_filter_may_replace(path, dialect));
  BLOOMERY_ASSIGN_OR_RETURN(output.lock_, wait.take(verb, path, nullptr));
  return output;
}

Status OutputFile::write(const NativeFilter& filter, const std::atomic<bool>& stop) const {
  if (!is_standard_output()) {
    return filter.save(path_, save_to(stop));
  }
  std::string bytes;
  filter.serialize(bytes);
  Output stream(STDOUT_FILENO);
  BLOOMERY_RETURN_IF_ERROR(stream.write(bytes));
  return stream.flush();
}

Status OutputFile::write(const DialectFilter& filter, const std::atomic<bool>& stop) const {
  if (!is_standard_output()) {
    return filter.save(path_, save_to(stop));
  }
  Output stream(STDOUT_FILENO);
  BLOOMERY_RETURN_IF_ERROR(filter.write([&stream](std::span<const std::byte> bytes) {
    return stream.write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }));
  return stream.flush();
}

SaveTo OutputFile::save_to(const std::atomic<bool>& stop) const {
  return {.replace = may_replace_, .cancelled = &stop, .lock = lock_ ? &*lock_ : nullptr};
}

}  // namespace bloomery::cli
