// The FILE arguments of a command, read in turn. `-` is standard input; the first bytes tell gzip and zstd.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bloomery/base/result.h"
#include "keys/line_reader.h"

namespace bloomery {

class InputFiles {
 public:
  // No names mean standard input. If `stop` is given and becomes true, the input ends before the batch that
  // is being read.
  InputFiles(std::vector<std::string> names, char line_delimiter, const std::atomic<bool>* stop = nullptr);
  InputFiles(const InputFiles&) = delete;
  InputFiles& operator=(const InputFiles&) = delete;
  ~InputFiles();

  // As LineReader's; holds for every file from the next one that is opened.
  void limit_line_bytes(std::size_t most) { most_line_bytes_ = most; }

  // Reads the next lines of the current file, or of the next one. Returns false at the end of the last file.
  // Errors name the file.
  Result<bool> next(LineBatch& batch);

  // The file that the batch came from, and the number of its first line in it, counted from one.
  const std::string& current_name() const { return current_name_; }
  std::uint64_t first_line() const { return first_line_; }
  std::uint64_t lines_read() const { return lines_read_; }

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
  Result<bool> open_next();
  void close_current();

  std::vector<std::string> names_;
  char line_delimiter_;
  const std::atomic<bool>* stop_;
  std::int64_t stdin_start_;  // the position of standard input when we got it
  std::size_t next_name_ = 0;
  std::string current_name_;
  int descriptor_ = -1;
  std::optional<LineReader> reader_;
  std::optional<std::size_t> most_line_bytes_;
  std::uint64_t next_line_ = 1;
  std::uint64_t first_line_ = 1;
  std::uint64_t lines_read_ = 0;
  std::uint64_t finished_bytes_ = 0;
};

}  // namespace bloomery
