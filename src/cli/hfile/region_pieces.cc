#include "cli/hfile/region_pieces.h"

#include <algorithm>
#include <memory_resource>
#include <span>
#include <string_view>
#include <utility>

namespace bloomery::cli {
namespace {

// The longest line of a file that is searched by binary search. A file with longer lines is read
// sequentially.
constexpr std::size_t kMostProbedBytes = std::size_t{64} << 20;

class PieceSource final : public ByteSource {
 public:
  PieceSource(File file, std::uint64_t begin, std::uint64_t end)
      : file_(std::move(file)), at_(begin), end_(end) {}

  Result<std::size_t> read(std::span<std::byte> out) override {
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), end_ - at_));
    if (wanted == 0) {
      return std::size_t{0};
    }
    BLOOMERY_ASSIGN_OR_RETURN(const std::size_t count,
                              FileSystem::real().read_at(file_, at_, out.first(wanted)));
    if (count == 0) {
      return Error::corruption(file_.path(), at_, "expected more bytes, found the end: the file was cut");
    }
    at_ += count;
    return count;
  }

 private:
  File file_;
  std::uint64_t at_;
  std::uint64_t end_;
};

// A sorted file of lines for binary search.
class ProbedFile {
 public:
  static std::optional<ProbedFile> open(const std::string& name, const CellParser& parser) {
    FileSystem& files = FileSystem::real();
    const Result<FileFacts> facts = files.facts(name);
    if (!facts || !facts->is_regular) {
      return std::nullopt;
    }
    Result<File> file = files.open(name, OpenFor::kReading);
    if (!file) {
      return std::nullopt;
    }
    ProbedFile probed(std::move(*file), facts->size_bytes, parser);
    const std::optional<std::string_view> first = probed.bytes_at(0, 4);
    const bool is_plain = first && !first->starts_with("\x1f\x8b") && !first->starts_with("\x28\xb5\x2f\xfd");
    return is_plain ? std::optional(std::move(probed)) : std::nullopt;
  }

  std::uint64_t size() const { return size_; }

  // Returns the offset of the first line at or after `from` whose row is not before `row`, or nothing if a
  // line cannot be read.
  std::optional<std::uint64_t> find(std::string_view row, std::uint64_t from) {
    // The least offset whose next line is not before `row` is in [low, high].
    std::uint64_t low = from;
    std::uint64_t high = size_;
    while (low < high) {
      const std::uint64_t middle = low + (high - low) / 2;
      const std::optional<std::uint64_t> start = line_from(middle);
      if (!start) {
        return std::nullopt;
      }
      const std::optional<bool> is_before = *start == size_ ? false : line_is_before(*start, row);
      if (!is_before) {
        return std::nullopt;
      }
      (*is_before ? low : high) = *is_before ? middle + 1 : middle;
    }
    return line_from(low);
  }

 private:
  ProbedFile(File file, std::uint64_t size, const CellParser& parser)
      : file_(std::move(file)), size_(size), parser_(&parser) {}

  std::optional<std::string_view> bytes_at(std::uint64_t offset, std::size_t wanted) {
    buffer_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(wanted, size_ - offset)));
    if (!file_.read_exactly_at(offset, std::as_writable_bytes(std::span(buffer_)))) {
      return std::nullopt;
    }
    return std::string_view(buffer_.data(), buffer_.size());
  }

  // Returns the text from `offset` to the next newline or the end of the file.
  std::optional<std::string_view> rest_of_line(std::uint64_t offset) {
    for (std::size_t wanted = 4096; wanted <= kMostProbedBytes; wanted *= 4) {
      const std::optional<std::string_view> bytes = bytes_at(offset, wanted);
      if (!bytes) {
        return std::nullopt;
      }
      const std::size_t end = bytes->find('\n');
      if (end != std::string_view::npos || offset + bytes->size() == size_) {
        return bytes->substr(0, end);
      }
    }
    return std::nullopt;
  }

  // Returns the start of the first line at or after `offset`.
  std::optional<std::uint64_t> line_from(std::uint64_t offset) {
    if (offset == 0) {
      return 0;
    }
    const std::optional<std::string_view> rest = rest_of_line(offset - 1);
    return rest ? std::optional(std::min(offset + rest->size(), size_)) : std::nullopt;
  }

  std::optional<bool> line_is_before(std::uint64_t start, std::string_view row) {
    const std::optional<std::string_view> line = rest_of_line(start);
    if (!line) {
      return std::nullopt;
    }
    std::pmr::monotonic_buffer_resource memory;
    const Result<Cell> cell = parser_->parse(*line, memory);
    return cell ? std::optional(cell->key.row < row) : std::nullopt;
  }

  File file_;
  std::uint64_t size_;
  const CellParser* parser_;
  std::vector<char> buffer_;
};

}  // namespace

// Finds where each region starts in each file. Returns nothing for unsorted input: a file starts with rows of
// a region before the last region of the previous file.
std::optional<RegionPieces> find_region_pieces(const std::vector<std::string>& files, const SplitKeys& splits,
                                               const CellParser& parser) {
  RegionPieces regions(splits.region_count());
  std::size_t last_region = 0;  // the last region that has rows in an earlier file
  for (const std::string& name : files) {
    std::optional<ProbedFile> file = name == "-" ? std::nullopt : ProbedFile::open(name, parser);
    if (!file) {
      return std::nullopt;
    }
    const std::size_t first_region = last_region;
    std::uint64_t begin = 0;
    for (std::size_t region = 0; region < regions.size() && begin < file->size(); ++region) {
      const bool is_last = region + 1 == regions.size();
      const std::optional<std::uint64_t> end =
          is_last ? file->size() : file->find(splits.start_of(region + 1), begin);
      if (!end || (*end > begin && region < first_region)) {
        return std::nullopt;
      }
      if (*end > begin) {
        regions[region].push_back({name, begin, *end});
        last_region = region;
      }
      begin = *end;
    }
  }
  return regions;
}

Status PieceLines::open_next() {
  const FilePiece& piece = pieces_[next_];
  BLOOMERY_ASSIGN_OR_RETURN(File file, FileSystem::real().open(piece.file, OpenFor::kReading));
  reader_.emplace(std::make_unique<PieceSource>(std::move(file), piece.begin, piece.end), '\n');
  ++next_;
  next_line_ = 1;
  return {};
}

Result<bool> PieceLines::next(LineBatch& batch, WindowPlace& place) {
  while (!stop_) {
    if (!reader_) {
      if (next_ == pieces_.size()) {
        return false;
      }
      BLOOMERY_RETURN_IF_ERROR(open_next());
    }
    const FilePiece& piece = pieces_[next_ - 1];
    const Result<bool> more = reader_->next(batch);
    if (!more) {
      return more.error().subject() == piece.file ? more.error() : more.error().in_file(piece.file);
    }
    if (*more) {
      place = {.file = piece.file, .line = next_line_, .begin = piece.begin};
      next_line_ += batch.lines.size();
      bytes_read_ += batch.piece(0, batch.lines.size()).size();
      return true;
    }
    reader_.reset();
  }
  return false;
}

}  // namespace bloomery::cli
