// Finds, by binary search, the byte ranges of sorted input files that contain each region's rows, so that
// regions can be read in parallel.
//
//   file a   | region 0 | region 1 |        | region 2 ...
//   file b   |                     | region 2 | region 3 |
//
// A piece is a byte range of a file. Every line of the input is in exactly one piece, even if the lines are
// unsorted. Unsorted input is detected when a piece is read, because a row is outside its region.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "bloomery/base/result.h"
#include "bloomery/table/split_keys.h"
#include "cli/hfile/cell_batch.h"
#include "cli/hfile/cell_parser.h"

namespace bloomery::cli {

struct FilePiece {
  std::string file;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

using RegionPieces = std::vector<std::vector<FilePiece>>;

// Returns the pieces of each region, in the order of the files. Returns nothing if the input must be read
// sequentially:
//
//   - a stream or a compressed file;
//   - files whose concatenation is not sorted;
//   - a line that is no cell.
std::optional<RegionPieces> find_region_pieces(const std::vector<std::string>& files, const SplitKeys& splits,
                                               const CellParser& parser);

// Reads the lines of several pieces, one piece after the other.
class PieceLines final : public LineSource {
 public:
  // The lines end early if `stop` becomes true.
  PieceLines(const std::vector<FilePiece>& pieces, const std::atomic<bool>& stop)
      : pieces_(pieces), stop_(stop) {}

  Result<bool> next(LineBatch& batch, WindowPlace& place) override;
  std::uint64_t bytes_read() const override { return bytes_read_; }

 private:
  Status open_next();

  const std::vector<FilePiece>& pieces_;
  const std::atomic<bool>& stop_;
  std::size_t next_ = 0;
  std::optional<LineReader> reader_;
  std::uint64_t next_line_ = 1;
  std::uint64_t bytes_read_ = 0;
};

}  // namespace bloomery::cli
