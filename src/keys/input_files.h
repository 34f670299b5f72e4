// The FILE arguments of a command, read in turn. `-` is standard input; the first bytes tell which files are
// compressed (decompress.h). Files that are not text of one-byte units are refused (text_source.h).
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
  // The place of the keys, if notes() is to tell of keys that hold the CR of a line's end.
  std::optional<KeyPlace> look_for_cr = std::nullopt;
  bool look_for_counts = false;         // notes() is to tell of digests with counts behind them
  std::string comments = {};            // such lines before a header are not it (is_comment)
  std::vector<std::string> given = {};  // lines that come before all files, as a file of the name "-e"
};

// The things that were noticed about the files so far. They may be read while another thread reads the input.
struct InputNotes {
  std::atomic<bool> dropped_mark = false;  // a file began with a UTF-8 byte-order mark
  // All lines of a file's first batch end in CR, and one of their keys does.
  std::atomic<bool> keys_have_cr = false;
  // All lines of a file's first batch are a hexadecimal digest, a colon and a number, as lists of breached passwords have
  // them.
  std::atomic<bool> digests_have_counts = false;

  // Adds what was noticed about other files.
  void add(const InputNotes& other) {
    dropped_mark = dropped_mark || other.dropped_mark;
    keys_have_cr = keys_have_cr || other.keys_have_cr;
    digests_have_counts = digests_have_counts || other.digests_have_counts;
  }
};

// Makes `lines` the lines of an empty batch. A line may have the delimiter in it, so that a LineReader would make two of
// it. Errors: kCapacity.
Status fill_with_lines(std::span<const std::string> lines, char delimiter, LineBatch& batch);

class InputFiles {
 public:
  // No names mean standard input, unless the shape gives lines. If `stop` is given and becomes true, the input ends
  // before the batch that is being read.
  InputFiles(std::vector<std::string> names, InputShape shape, const std::atomic<bool>* stop = nullptr);
  InputFiles(const InputFiles&) = delete;
  InputFiles& operator=(const InputFiles&) = delete;
  ~InputFiles();

  // As LineReader's; holds for every file from the next one that is opened.
  void limit_line_bytes(std::size_t most) { most_line_bytes_ = most; }

  // Reads the next lines of the current file, or of the next one. Returns false at the end of the last file.
  // A header line is in batch.header, and is counted only in first_line(); the batch may then have no lines.
  // Errors name the file.
  Result<bool> next(LineBatch& batch);

  // The file that the batch came from, and the number of its first line in it, counted from one.
  const std::string& current_name() const { return current_name_; }
  std::uint64_t first_line() const { return first_line_; }
  std::uint64_t lines_read() const { return lines_read_; }

  const InputNotes& notes() const { return notes_; }

  // Returns whether somebody types a part of the input: standard input is among the files, and is a terminal.
  bool is_typed() const;

  // Returns whether all input can be read twice: all of it, also standard input, is regular files.
  bool can_rewind() const;
  // Begins again. Precondition: can_rewind().
  Status rewind();

  // The bytes on disk of all files, and of what was read so far. The total is absent if one of them is a
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
  std::int64_t stdin_start_;  // the position of standard input when we got it
  bool gave_lines_ = false;   // the lines of the shape were delivered
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
