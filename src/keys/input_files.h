// The FILE arguments of a command, read in turn. `-` is standard input. The first bytes reveal whether a file
// is compressed (decompress.h). Files that are not text of one-byte units are refused (text_source.h).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bloomery/base/result.h"
#include "keys/key_place.h"
#include "keys/line_reader.h"

namespace bloomery {

// The properties that all files of an input share.
struct InputShape {
  InputShape(char delimiter) : line_delimiter(delimiter) {}  // NOLINT(google-explicit-constructor)

  char line_delimiter;
  bool has_header = false;  // the first line of each file names its columns
  // The place of the keys, if notes() shall report keys that contain the CR of a line's end.
  std::optional<KeyPlace> look_for_cr = std::nullopt;
  bool look_for_counts = false;         // notes() shall report digests followed by counts
  std::string comments = {};            // marks of comment lines, which may precede a header (is_comment)
  std::vector<std::string> given = {};  // lines that precede all files, as a file with the name "-e"
};

// Observations about the files so far. Another thread may read them while the input is read.
struct InputNotes {
  std::atomic<bool> dropped_mark = false;  // a file began with a UTF-8 byte-order mark
  // All lines of a file's first batch end in CR, and one of their keys does.
  std::atomic<bool> keys_have_cr = false;
  // All lines of a file's first batch are a hexadecimal digest, a colon and a number, as in lists
  // of breached passwords.
  std::atomic<bool> digests_have_counts = false;

  // Adds the observations about other files.
  void add(const InputNotes& other) {
    dropped_mark = dropped_mark || other.dropped_mark;
    keys_have_cr = keys_have_cr || other.keys_have_cr;
    digests_have_counts = digests_have_counts || other.digests_have_counts;
  }
};

// Fills an empty batch with `lines`. A line may contain the delimiter, where a LineReader would split it.
// Errors: kCapacity.
Status fill_with_lines(std::span<const std::string> lines, char delimiter, LineBatch& batch);

class InputFiles {
 public:
  // No names mean standard input, unless the shape contains lines. If `stop` is given and becomes true, the
  // input ends before the batch that is being read.
  InputFiles(std::vector<std::string> names, InputShape shape, const std::atomic<bool>* stop = nullptr);
  InputFiles(const InputFiles&) = delete;
  InputFiles& operator=(const InputFiles&) = delete;
  ~InputFiles();

  // Sets the limit of LineReader::limit_line_bytes() for every file that is opened from now on.
  void limit_line_bytes(std::size_t most) { most_line_bytes_ = most; }

  // Reads the next lines of the current file, or of the next one. Returns false at the end of the last file.
  // A header line is stored in batch.header, and only first_line() counts it; the batch may then have no
  // lines. Errors name the file.
  Result<bool> next(LineBatch& batch);

  // Return the file of the batch, and the number of its first line in that file, counted from one.
  const std::string& current_name() const { return current_name_; }
  std::uint64_t first_line() const { return first_line_; }
  std::uint64_t lines_read() const { return lines_read_; }

  const InputNotes& notes() const { return notes_; }

  // Returns true if standard input is among the files and is a terminal, so that somebody types input.
  bool is_typed() const;

  // Returns true if all input, including standard input, is regular files, so that it can be read twice.
  bool can_rewind() const;
  // Restarts at the first file. Precondition: can_rewind().
  Status rewind();

  // Return the bytes on disk of all files, and of the input read so far. The total is absent if a file is a
  // pipe.
  std::optional<std::uint64_t> total_bytes() const;
  std::uint64_t bytes_read() const;

 private:
  bool stop_requested() const;
  void look_for_cr(const LineBatch& batch);
  Result<bool> next_given(LineBatch& batch);
  void take_header(LineBatch& batch);
  Result<bool> open_next();
  void close_current();

  std::vector<std::string> names_;
  InputShape shape_;
  const std::atomic<bool>* stop_;
  std::int64_t stdin_start_;  // the position of standard input at construction
  bool gave_lines_ = false;   // the lines of the shape were returned
  bool header_is_due_ = false;
  std::size_t next_name_ = 0;
  std::string current_name_;
  int descriptor_ = -1;
  InputNotes notes_;
  std::optional<LineReader> reader_;
  std::optional<std::size_t> most_line_bytes_;
  std::uint64_t next_line_ = 1;
  std::uint64_t first_line_ = 1;
  std::uint64_t lines_read_ = 0;
  std::uint64_t finished_bytes_ = 0;
};

}  // namespace bloomery
