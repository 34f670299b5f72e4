// Splits a stream into lines, a batch at a time. A batch owns its bytes, so several batches may be in use at
// once.
//
//   bytes of a batch   | line | line | line | part of a li|      rest of the previous batch, then one read
//   lines              |-------- lines -----|
//   rest                                    |-------------|      kept for the next batch
//
// Bytes are copied only if a line straddles two reads, or if a read has more than kMostLines lines. A line
// may have any length, up to a limit, and any bytes; its batch grows to hold it. The last line may lack its
// delimiter. Fields, keys (key_hasher.h) and the choice of files (input_files.h) are elsewhere.
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
  // The most lines of a batch. It bounds the memory per batch for data about lines.
  static constexpr std::size_t kMostLines = 8192;

  // The lines without their delimiters. In the buffer each line is followed by its delimiter and then by the
  // next line, so that adjacent lines can be written as one range. Only an unterminated last line lacks its
  // delimiter.
  std::vector<std::string_view> lines;
  bool last_is_terminated = true;
  // The original indexes of the lines, if some were dropped: lines[i] was number places[i] of the batch,
  // counted from 0.
  std::vector<std::uint32_t> places;
  // The header line of the file, if it has one and this is the file's first batch. It is not one of `lines`.
  std::optional<std::string_view> header;
  GrowingBuffer bytes;  // owns the bytes of the lines

  // Returns true if the line before `end` has its delimiter. Precondition: 0 < end <= lines.size().
  bool is_terminated(std::size_t end) const { return end < lines.size() || last_is_terminated; }
  // Drops the lines after the first `count`. Precondition: count <= lines.size().
  void keep_first(std::size_t count) {
    last_is_terminated = last_is_terminated || count < lines.size();
    lines.resize(count);
    places.resize(std::min(places.size(), count));
  }
  // Removes the lines with these numbers, which ascend. Precondition: nothing was dropped yet.
  void drop(std::span<const std::uint32_t> dropped);
  // Returns the number of lines that were read before line i.
  std::size_t place(std::size_t i) const { return places.empty() ? i : places[i]; }
  // Returns the end, at most `end`, of the contiguous run of lines in the buffer that starts at `begin`.
  std::size_t unbroken_end(std::size_t begin, std::size_t end) const;
  // Returns lines `begin` to `end` (exclusive) as one contiguous text, with their delimiters.
  // Precondition: begin < end <= lines.size(), and unbroken_end(begin, end) is `end`.
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

  // Sets the length above which lines are errors. By default it is a line that would need most of the memory.
  void limit_line_bytes(std::size_t most) { most_line_bytes_ = most; }

  // Fills `batch` with at least one line, from the rest or from one read. Returns false at the end. The views
  // are valid as long as the batch exists. Errors: the source's errors; kCapacity, with the line's number,
  // for a line beyond the limit. After an error every later call returns the same error.
  Result<bool> next(LineBatch& batch);

 private:
  Result<bool> fill_batch(LineBatch& batch);
  // Moves the rest to the beginning of the batch's buffer.
  Status begin_with_rest(GrowingBuffer& buffer);
  // Splits the buffer up to end_ into lines, and keeps the bytes after the last line.
  void cut(LineBatch& batch);
  // Makes room after end_ and reads once. Returns false at the end of the source.
  Result<bool> read_more(GrowingBuffer& buffer);
  Error too_long(const char* than) const;

  std::unique_ptr<ByteSource> source_;
  char delimiter_;
  std::size_t most_line_bytes_;
  std::vector<char> rest_;    // the bytes after the last returned line
  std::size_t searched_ = 0;  // bytes of rest_, or of the batch, that are known to contain no delimiter
  std::size_t end_ = 0;       // the end of the bytes in the batch
  std::uint64_t lines_given_ = 0;
  bool at_end_ = false;
  std::optional<Error> failed_;
};

}  // namespace bloomery
