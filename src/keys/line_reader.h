// Cuts a stream into lines, a batch at a time. A batch owns its bytes, so that several may be on their way.
//
//   batch's bytes   | line | line | line | part of a li|      what was left over, then one read
//                     ^-------- lines ---^ ^-- kept for the next batch
//
// Bytes are copied where a line straddles two reads, and where a read has more than kMostLines lines. A line
// of any length, with any bytes in it, is a line: its batch grows to it, up to a limit. The last one may lack
// its delimiter. Not here: fields, keys (key_hasher.h), which files are read (input_files.h).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/byte_source.h"
#include "base/growing_buffer.h"
#include "bloomery/base/result.h"

namespace bloomery {

struct LineBatch {
  // Lines of a batch at most, so that what is kept for each of them has a bound.
  static constexpr std::size_t kMostLines = 8192;

  // Without their delimiters. In the buffer every line but an unterminated last one is followed by its
  // delimiter, and the next line by nothing between, so neighbours can be written out as one piece.
  std::vector<std::string_view> lines;
  bool last_is_terminated = true;
  // Which lines of those that were read are here, if some were dropped: lines[i] was number places[i] of the
  // batch, counted from 0.
  std::vector<std::uint32_t> places;
  // The header line of the file, if it has one and this is the file's first batch; it is none of `lines`.
  std::optional<std::string_view> header;
  GrowingBuffer bytes;  // in which they lie

  // Whether the delimiter of the line before `end` is there. Precondition: 0 < end <= lines.size().
  bool is_terminated(std::size_t end) const { return end < lines.size() || last_is_terminated; }
  // Without the lines behind the first `count`. Precondition: count <= lines.size().
  void keep_first(std::size_t count) {
    last_is_terminated = last_is_terminated || count < lines.size();
    lines.resize(count);
    places.resize(std::min(places.size(), count));
  }
  // Takes out the lines of these numbers, which ascend. Precondition: nothing was dropped yet.
  void drop(std::span<const std::uint32_t> dropped);
  // How many lines were read up to line i, that one not included.
  std::size_t place(std::size_t i) const { return places.empty() ? i : places[i]; }
  // The end of the lines from `begin` on that lie one behind the other, at most `end`.
  std::size_t unbroken_end(std::size_t begin, std::size_t end) const;
  // Lines `begin` to `end` (not included) as one piece, with the delimiters that are there. Precondition:
  // begin < end <= lines.size(), and unbroken_end(begin, end) is `end`.
  std::string_view piece(std::size_t begin, std::size_t end) const {
    const char* const start = lines[begin].data();
    const std::string_view last = lines[end - 1];
    return {start,
            static_cast<std::size_t>(last.data() - start) + last.size() + (is_terminated(end) ? 1 : 0)};
  }
};

class LineReader {
 public:
  LineReader(std::unique_ptr<ByteSource> source, char delimiter);

  // Lines of more bytes are an error from now on; by default those that would take most of the memory.
  void limit_line_bytes(std::size_t most) { most_line_bytes_ = most; }

  // Fills `batch` with lines of what is left over or of one read, at least one; false at the end. The views
  // hold as long as the batch does. Errors: of the source; kCapacity for a line beyond the limit, with its
  // number. After an error there is no next line: every later call answers the same.
  Result<bool> next(LineBatch& batch);

 private:
  Result<bool> fill_batch(LineBatch& batch);
  // Moves what was left over to the front of the batch's buffer.
  Status begin_with_rest(GrowingBuffer& buffer);
  // Cuts what is in the buffer up to end_, and keeps what follows the last line taken.
  void cut(LineBatch& batch);
  // Makes room behind end_ and reads once. False at the end of the source.
  Result<bool> read_more(GrowingBuffer& buffer);
  Error too_long(const char* than) const;

  std::unique_ptr<ByteSource> source_;
  char delimiter_;
  std::size_t most_line_bytes_;
  std::vector<char> rest_;    // behind the last line given
  std::size_t searched_ = 0;  // so much of it, or of the batch, has no delimiter
  std::size_t end_ = 0;       // of the bytes in the batch
  std::uint64_t lines_given_ = 0;
  bool at_end_ = false;
  std::optional<Error> failed_;
};

}  // namespace bloomery
