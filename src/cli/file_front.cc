#include "cli/file_front.h"

#include <algorithm>
#include <span>

#include "base/file.h"
#include "base/spread_magic.h"
#include "filter/native/native_header.h"

namespace bloomery::cli {

Result<FileFront> FileFront::read(const std::string& path, std::uint64_t most) {
  FileSystem& files = FileSystem::real();
  BLOOMERY_ASSIGN_OR_RETURN(File file, files.open(path, OpenFor::kReading));
  BLOOMERY_ASSIGN_OR_RETURN(const FileFacts facts, files.facts(file));
  FileFront front{.bytes = std::string(std::min(facts.size_bytes, most), '\0'),
                  .file_bytes = facts.size_bytes,
                  .is_regular = facts.is_regular};
  BLOOMERY_RETURN_IF_ERROR(file.read_exactly_at(0, std::as_writable_bytes(std::span(front.bytes))));
  return front;
}

bool FileFront::begins_as_ours() const {
  return bytes.starts_with(kNativeMagic) || !spread_file_hint(bytes).empty();
}

}  // namespace bloomery::cli
