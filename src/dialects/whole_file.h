// Maps an entire file for reading. An empty file cannot be mapped, and yields an empty mapping.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>

#include "base/file.h"
#include "bloomery/base/result.h"

namespace bloomery {

// Errors: kNotFound, kIo, kInvalidArgument if it is not a regular file.
inline Result<std::shared_ptr<MappedFile>> map_whole(const std::string& path) {
  FileSystem& files = FileSystem::real();
  BLOOMERY_ASSIGN_OR_RETURN(const File file, files.open(path, OpenFor::kReading));
  BLOOMERY_ASSIGN_OR_RETURN(const FileFacts facts, files.facts(file));
  if (facts.size_bytes == 0) {
    return std::make_shared<MappedFile>();
  }
  BLOOMERY_ASSIGN_OR_RETURN(MappedFile mapping, files.map(file, facts.size_bytes, MapAccess::kReadOnly));
  return std::make_shared<MappedFile>(std::move(mapping));
}

inline std::span<const std::byte> bytes_of_mapping(const MappedFile& mapping) {
  return mapping.bytes();
}

}  // namespace bloomery
