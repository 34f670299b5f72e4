// Lists the blocks that the current thread reads while the log lives; `--explain` shows them.
//
// A log belongs to its thread and not to a reader, since readers share files. Logs of one thread may be
// nested: the innermost one records. Without a log, a read costs the check of one variable more.
#pragma once

#include <vector>

#include "hfile/block_header.h"
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
