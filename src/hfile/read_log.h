// Lists the blocks that the thread reads while the log lives: what `--explain` shows.
//
// A log is of its thread and not of a reader, since the readers of a file are shared. Logs of one thread may be nested:
// the innermost one lists. Without a log, a read costs the look at one variable more.
#pragma once

#include <vector>

#include "hfile/block_address.h"
#include "hfile/read_counters.h"

namespace bloomery::hfile {

struct BlockRead {
  const ReadCounters* file = nullptr;  // OpenFile::read_counters() of the block's file
  BlockAddress address = {};
  ReadFrom from = ReadFrom::kDisk;
};

class ReadLog {
 public:
  ReadLog();
  ReadLog(const ReadLog&) = delete;
  ReadLog& operator=(const ReadLog&) = delete;
  ~ReadLog();

  // Returns the blocks in the order in which they were read.
  const std::vector<BlockRead>& reads() const { return reads_; }

  static void note(const BlockRead& read) {
    if (ReadLog* const log = innermost(); log != nullptr) {
      log->reads_.push_back(read);
    }
  }

 private:
  static ReadLog*& innermost() {
    static thread_local ReadLog* log = nullptr;
    return log;
  }

  ReadLog* outer_;
  std::vector<BlockRead> reads_;
};

}  // namespace bloomery::hfile
