// Reads lines in batches and parses the cells in them; records where each line is, for errors.
//
//   LineSource -> LineBatch -> CellParser -> CellBatch        its cells are views of its lines and its memory
//
// A line that is no cell ends its batch and becomes the batch's error. So errors stay in order when a batch
// is passed to another thread. bulk_load_writer.h checks the order of the cells.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory_resource>
#include <optional>
#include <string>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/hfile/cell.h"
#include "cli/hfile/cell_parser.h"
#include "keys/input_files.h"
#include "keys/line_reader.h"

namespace bloomery::cli {

// Where a batch starts: at line number `line`, counted from 1, after the first `begin` bytes of the file.
struct WindowPlace {
  std::string file;
  std::uint64_t line = 1;
  std::uint64_t begin = 0;

  // Returns "FILE: line N" for the line that is `index` lines after the first one. Reads the file's first
  // `begin` bytes to count their lines.
  std::string show(std::size_t index) const;
};

class LineSource {
 public:
  virtual ~LineSource() = default;
  // Reads the next lines. Returns false at the end of the input or of the requested byte ranges.
  virtual Result<bool> next(LineBatch& batch, WindowPlace& place) = 0;
  virtual std::uint64_t bytes_read() const = 0;
};

// The lines of the FILE arguments, one file after the other.
class InputLines final : public LineSource {
 public:
  explicit InputLines(InputFiles& input) : input_(input) {}

  Result<bool> next(LineBatch& batch, WindowPlace& place) override;
  std::uint64_t bytes_read() const override { return input_.bytes_read(); }

 private:
  InputFiles& input_;
};

class CellBatch {
 public:
  // Reads and parses the next lines. Returns false at the end. If a line is no cell, the batch has the cells
  // before it, and error().
  bool fill(LineSource& source, const CellParser& parser);

  const std::vector<Cell>& cells() const { return cells_; }
  const std::optional<Error>& error() const { return error_; }
  // Returns the error, prefixed by the file and line of the cell.
  Error at_cell(std::size_t index, const Error& error) const { return error.in_file(place_.show(index)); }
  std::uint64_t bytes_read() const { return bytes_read_; }

 private:
  LineBatch lines_;
  WindowPlace place_;
  std::pmr::monotonic_buffer_resource memory_{std::size_t{64} << 10};
  std::vector<Cell> cells_;
  std::optional<Error> error_;
  std::uint64_t bytes_read_ = 0;
};

// Calls `consume` with each batch, in order, until a batch has an error or `consume` fails, and returns this
// error. The cells before an error in a batch are still consumed.
//
// Reads and parses batches of cells in one thread, while another thread consumes the previous batches.
//
//   caller's thread:  LineSource -> CellBatch ->| ring of kSlots batches |-> consume: in its own thread
//
// The caller's thread reads, so it receives the signals that interrupt a read; the other thread blocks these.
// The ring is bounded (back-pressure). After an error of `consume`, only the batch in progress is still read.
// Without a second thread, one loop reads and consumes.
Status for_each_batch(LineSource& source, const CellParser& parser, bool with_thread,
                      const std::function<Status(const CellBatch&)>& consume);

}  // namespace bloomery::cli
