// Cuts a stream into lines, a batch at a time, without copying them.
//
//   read ->  | line | line | line | part of a li|      one read, one batch: the views point into the buffer,
//   and the
//             ^-------- batch -----^ ^-- moved to the front and completed by the next read
//
// A line of any length, with any bytes in it, is a line: the buffer grows to the longest. The last one may
// lack its delimiter. Not here: fields, keys (key_hasher.h), which files are read (input_files.h).
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/byte_source.h"
#include "bloomery/base/result.h"

namespace bloomery {

struct LineBatch {
  // Without their delimiters. In the buffer every line but an unterminated last one is followed by its
  // delimiter, and the next line by nothing between, so neighbours can be written out as one piece.
  std::vector<std::string_view> lines;
  bool last_is_terminated = true;
};

class LineReader {
 public:
  LineReader(std::unique_ptr<ByteSource> source, char delimiter);

  // Fills `batch` with the lines that one read completed, at least one; false at the end. The views hold
  // until the next call. Errors: of the source; kCapacity for a line beyond memory.
  Result<bool> next(LineBatch& batch);

 private:
  // Makes room behind the unfinished line and reads once. False at the end of the source.
  Result<bool> fill();

  std::unique_ptr<ByteSource> source_;
  char delimiter_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;    // of the unfinished line
  std::size_t scanned_ = 0;  // up to here there is no delimiter in it
  std::size_t end_ = 0;
  bool at_end_ = false;
};

}  // namespace bloomery
