// Stands between a reader and its file, and writes down which blocks are read, in turn. For one thread.
#pragma once

#include <vector>

#include "bloomery/base/result.h"
#include "hfile/block_source.h"
#include "hfile/open_file.h"

namespace bloomery::table {

using BlockLog = std::vector<hfile::BlockAddress>;

class RecordingSource final : public hfile::BlockSource {
 public:
  // `log` outlives it.
  RecordingSource(hfile::BlockSource& disk, BlockLog& log) : disk_(disk), log_(log) {}
  // Makes a file be read through one.
  static hfile::Surroundings surroundings(BlockLog& log);

 private:
  Result<hfile::BlockPointer> fetch(const hfile::BlockAddress& address) override;

  hfile::BlockSource& disk_;
  BlockLog& log_;
};

}  // namespace bloomery::table
