// HFiles that lie elsewhere than on the machine's disk, opened as a user opens them.
#pragma once

#include <string>

#include "bloomery/hfile/hfile_reader.h"
#include "hfile/open_file.h"
#include "hfile/reader_access.h"

namespace bloomery {

inline Result<HFileReader> open_in(FileSystem& files, const std::string& path,
                                   const HFileOptions& options = {}) {
  BLOOMERY_ASSIGN_OR_RETURN(auto file, hfile::OpenFile::open(path, options, {.files = &files}));
  return hfile::ReaderAccess::reader_of(std::move(file));
}

}  // namespace bloomery
