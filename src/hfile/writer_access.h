// Gives library code the public writer of a file that it created itself.
#pragma once

#include <memory>
#include <utility>

#include "bloomery/hfile/hfile_writer.h"
#include "hfile/write_state.h"

namespace bloomery::hfile {

struct WriterAccess {
  static HFileWriter writer_of(std::unique_ptr<WriteState> state) { return HFileWriter(std::move(state)); }
};

}  // namespace bloomery::hfile
