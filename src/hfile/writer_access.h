// Gives library code the public writer of a file that it created itself.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "bloomery/hfile/hfile_writer.h"
#include "hfile/write_state.h"

namespace bloomery::hfile {

struct WriterAccess {
  static HFileWriter writer_of(std::unique_ptr<WriteState> state) { return HFileWriter(std::move(state)); }
  // Is HFileWriter::create() on these files.
  static Result<HFileWriter> create_in(FileSystem& files, const std::string& path,
                                       const HFileWriteOptions& options = {}) {
    BLOOMERY_ASSIGN_OR_RETURN(auto state, WriteState::create(path, options, files));
    return writer_of(std::move(state));
  }
};

}  // namespace bloomery::hfile
