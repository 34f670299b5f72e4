// Gives the library the public reader of a file that it opened itself.
#pragma once

#include <memory>
#include <utility>

#include "bloomery/hfile/hfile_reader.h"
#include "hfile/open_file.h"

namespace bloomery::hfile {

struct ReaderAccess {
  static HFileReader reader_of(std::shared_ptr<const OpenFile> file) { return HFileReader(std::move(file)); }
};

}  // namespace bloomery::hfile
