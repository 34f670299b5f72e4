// A layer between a reader and its file that logs the blocks that are read, in order. For one thread.
#pragma once

#include <vector>

#include "bloomery/base/result.h"
#include "hfile/block_source.h"
#include "hfile/open_file.h"

namespace bloomery::table {

using BlockLog = std::vector<hfile::BlockAddress>;

class RecordingSource final : public hfile::BlockSource {
 public:
  // `disk` and `log` must outlive the source.
  RecordingSource(hfile::BlockSource& disk, BlockLog& log) : disk_(disk), log_(log) {}
  // Returns the option that makes OpenFile::open() read a file through a RecordingSource.
  static hfile::Surroundings surroundings(BlockLog& log);

 private:
  Result<hfile::BlockPointer> fetch(const hfile::BlockAddress& address, hfile::ReadAhead* ahead) override;

  hfile::BlockSource& disk_;
  BlockLog& log_;
};

}  // namespace bloomery::table
