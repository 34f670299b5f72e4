// The dialects of xor_singleheader's binary fuse filters, `fuse8` and `fuse16`. A file has one of two forms:
//
//   serialised   binary_fuse8_serialize(): a header of 28 bytes, then every cell. Of fuse16 4 bytes follow,
//                which have no meaning: binary_fuse16_serialization_bytes() counts them
//   packed       binary_fuse8_pack(): a header of 12 bytes, a bit for each cell, then the cells but zeros
//
// Keys are 64-bit integers, as 8 bytes, little-endian. A filter is static. Neither form has a checksum, but
// all header fields follow from the number of keys, and the seed is one of 100.
//
// Source: docs/formats/xor-singleheader.md.
#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/endian.h"
#include "base/message.h"
#include "base/prefetch.h"
#include "codec/dialect.h"
#include "codec/plan.h"
#include "codec/xor_singleheader/fuse_construction.h"

namespace bloomery::xor_singleheader {
namespace {

constexpr const char* kFuseSubject = "fuse filter";
constexpr std::size_t kKeyBytes = 8;
constexpr std::size_t kSizeAt = 8;
constexpr std::size_t kSegmentCellsAt = 12;
constexpr std::size_t kSegmentsAt = 16;
constexpr std::size_t kStartsAt = 20;
constexpr std::size_t kCellsAt = 24;
constexpr std::size_t kSerialisedHeaderBytes = 28;
constexpr std::size_t kPackedHeaderBytes = 12;
template <typename Cell>
constexpr std::size_t kSpareBytes = sizeof(Cell) == 2 ? 4 : 0;  // after the cells of a serialised file
constexpr std::string_view kPackedOption = "packed";

enum class FuseForm { kSerialised, kPacked };

template <typename Cell>
std::string name_of_fuse(FuseForm form) {
  const std::string name = sizeof(Cell) == 1 ? "fuse8" : "fuse16";
  return form == FuseForm::kPacked ? name + ":" + std::string(kPackedOption) : name;
}

// A file that was checked.
struct FuseHeader {
  FuseForm form = FuseForm::kSerialised;
  std::uint64_t seed = 0;
  FuseShape shape = {};
  std::size_t cells_at = kSerialisedHeaderBytes;

  // Precondition: the form is packed.
  std::span<const std::byte> bitmap(std::span<const std::byte> file) const {
    return file.subspan(kPackedHeaderBytes, cells_at - kPackedHeaderBytes);
  }
};

bool bit_of(std::span<const std::byte> bitmap, std::size_t i) {
  return (std::to_integer<unsigned>(bitmap[i / 8]) >> (i % 8) & 1) != 0;
}

// Reads the header of the serialised form. Errors: kCorruption unless the fields agree with each other, so
// that cells are inside the array.
Result<FuseShape> read_serialised_shape(std::span<const std::byte> file) {
  if (file.size() < kSerialisedHeaderBytes) {
    return Error::corruption(kFuseSubject, file.size(), "28 bytes of header",
                             "the end after " + std::to_string(file.size()));
  }
  const auto field = [&file](std::size_t at) { return load_little32(file.data() + at); };
  const FuseShape shape{
      .keys = field(kSizeAt), .segment_cells = field(kSegmentCellsAt), .segments = field(kSegmentsAt)};
  if (!std::has_single_bit(shape.segment_cells) || shape.segment_cells > kMostSegmentCells) {
    return Error::corrupt_field(kFuseSubject, kSegmentCellsAt, "segment length", "a power of two up to 2^18",
                                std::to_string(shape.segment_cells));
  }
  const std::uint64_t starts = std::uint64_t{shape.segments} * shape.segment_cells;
  if (starts == 0 || field(kStartsAt) != starts) {
    return Error::corrupt_field(kFuseSubject, kStartsAt, "segment count length",
                                message(shape.segments, " segments of ", shape.segment_cells),
                                std::to_string(field(kStartsAt)));
  }
  const std::uint64_t cells = starts + 2 * std::uint64_t{shape.segment_cells};
  if (field(kCellsAt) != cells) {
    return Error::corrupt_field(kFuseSubject, kCellsAt, "array length", std::to_string(cells),
                                std::to_string(field(kCellsAt)));
  }
  return cells >> 32 == 0 ? Result<FuseShape>(shape)
                          : Error::corrupt_field(kFuseSubject, kCellsAt, "array length", "less than 2^32",
                                                 std::to_string(cells));
}

// Precondition: read_serialised_shape() returned the shape. Errors: kCorruption unless the file has the size
// that its cells need.
template <typename Cell>
Result<FuseHeader> read_serialised(std::span<const std::byte> file, const FuseShape& shape) {
  const std::uint64_t cell_bytes = std::uint64_t{shape.cells()} * sizeof(Cell);
  const std::uint64_t behind = file.size() - kSerialisedHeaderBytes;
  if (behind != cell_bytes && behind != cell_bytes + kSpareBytes<Cell>) {
    return Error::corruption(kFuseSubject, kSerialisedHeaderBytes,
                             std::to_string(cell_bytes) + " bytes of cells", std::to_string(behind));
  }
  return FuseHeader{.seed = load_little64(file.data()), .shape = shape};
}

// Reads the header of the packed form, which records the number of keys alone. Errors: kCorruption if the
// sizes do not agree with that of the file.
template <typename Cell>
Result<FuseHeader> read_packed(std::span<const std::byte> file) {
  if (file.size() < kPackedHeaderBytes) {
    return Error::corruption(kFuseSubject, file.size(), "12 bytes of header",
                             "the end after " + std::to_string(file.size()));
  }
  const std::uint32_t keys = load_little32(file.data() + kSizeAt);
  if (keys > kMostKeys) {
    return Error::corrupt_field(kFuseSubject, kSizeAt, "keys", "at most " + std::to_string(kMostKeys),
                                std::to_string(keys));
  }
  const FuseShape shape = fuse_shape_of(keys);
  const std::size_t bitmap_bytes = (std::size_t{shape.cells()} + 7) / 8;
  if (file.size() - kPackedHeaderBytes < bitmap_bytes) {
    return Error::corruption(kFuseSubject, kPackedHeaderBytes,
                             message(bitmap_bytes, " bytes of bits for ", keys, " keys"),
                             std::to_string(file.size() - kPackedHeaderBytes));
  }
  const FuseHeader header{.form = FuseForm::kPacked,
                          .seed = load_little64(file.data()),
                          .shape = shape,
                          .cells_at = kPackedHeaderBytes + bitmap_bytes};
  std::uint64_t stored = 0;
  for (const std::byte bits : header.bitmap(file)) {
    stored += static_cast<std::uint64_t>(std::popcount(std::to_integer<unsigned>(bits)));
  }
  if (shape.cells() % 8 != 0 &&
      std::to_integer<unsigned>(header.bitmap(file).back()) >> (shape.cells() % 8) != 0) {
    return Error::corruption(kFuseSubject, header.cells_at - 1, "no bits after those of the cells", "others");
  }
  if (file.size() - header.cells_at != stored * sizeof(Cell)) {
    return Error::corruption(kFuseSubject, header.cells_at,
                             message(stored * sizeof(Cell), " bytes of cells, as there are bits"),
                             std::to_string(file.size() - header.cells_at));
  }
  return header;
}

// Reads a header of either form. A file with the fields of the serialised form is of this form, whatever its
// size, because the bits of a packed file never agree so. Errors: those of both.
template <typename Cell>
Result<FuseHeader> read_either(std::span<const std::byte> file) {
  const Result<FuseShape> serialised = read_serialised_shape(file);
  if (serialised) {
    return read_serialised<Cell>(file, *serialised);
  }
  const Result<FuseHeader> packed = read_packed<Cell>(file);
  return packed ? packed
                : Error::corruption(
                      kFuseSubject, serialised.error().offset().value(),
                      serialised.error().detail() + "; as the packed form: " + packed.error().detail());
}

template <typename Cell>
class FuseFile final : public DialectFilter {
 public:
  FuseFile(FuseForm form, const FuseShape& shape, FuseArray<Cell> array, std::vector<std::byte> spare)
      : form_(form), shape_(shape), array_(std::move(array)), spare_(std::move(spare)) {}

  std::string dialect() const override { return name_of_fuse<Cell>(form_); }
  DialectFacts facts() const override;

  // A key of another length is no integer, and may be anything.
  bool may_contain(std::string_view key) const override { return !can_tell(key) || matches(hash_of(key)); }
  bool can_tell(std::string_view key) const override { return key.size() == kKeyBytes; }
  void may_contain_batch(std::span<const std::string_view> keys,
                         std::span<std::uint64_t> answers) const override;

  bool is_static() const override { return true; }
  Result<bool> insert(std::string_view) override {
    return Error(ErrorCode::kUnsupported, dialect(),
                 "a binary fuse filter is made of all its keys at once: none can be added");
  }
  Status merge(const DialectFilter&) override {
    return Error(ErrorCode::kUnsupported, dialect(),
                 "binary fuse filters cannot be merged: build one of all the keys");
  }
  double current_fpp() const override { return 1.0 / (std::uint64_t{1} << (8 * sizeof(Cell))); }
  Result<double> estimated_count() const override { return static_cast<double>(shape_.keys); }
  Status write(const Sink& sink) const override;

 private:
  std::uint64_t hash_of(std::string_view key) const {
    return fuse_hash(load_little64(reinterpret_cast<const std::byte*>(key.data())), array_.seed);
  }
  bool matches(std::uint64_t hash) const {
    const auto at = fuse_cells(shape_, hash);
    const std::vector<Cell>& cells = array_.cells;
    return static_cast<Cell>(fuse_fingerprint(hash) ^ cells[at[0]] ^ cells[at[1]] ^ cells[at[2]]) == 0;
  }
  Status write_packed(const Sink& sink) const;

  FuseForm form_;
  FuseShape shape_;
  FuseArray<Cell> array_;
  std::vector<std::byte> spare_;  // the bytes after the cells of a serialised file
};

template <typename Cell>
DialectFacts FuseFile<Cell>::facts() const {
  DialectFacts facts;
  facts.bits = array_.cells.size() * 8 * sizeof(Cell);
  facts.hash_count = 3;
  for (const Cell cell : array_.cells) {
    facts.set_bits += static_cast<std::uint64_t>(std::popcount(cell));
  }
  facts.target_fpp = current_fpp();
  facts.inserted = shape_.keys;
  facts.more = {{"segment_length", std::to_string(shape_.segment_cells)},
                {"segments", std::to_string(shape_.segments)}};
  if (const auto number = number_of_seed(array_.seed)) {
    facts.more.emplace_back("tries", std::to_string(*number + 1));
  }
  return facts;
}

template <typename Cell>
void FuseFile<Cell>::may_contain_batch(std::span<const std::string_view> keys,
                                       std::span<std::uint64_t> answers) const {
  std::array<std::uint64_t, 64> hashes;
  for (std::size_t first = 0; first < keys.size(); first += hashes.size()) {
    const std::size_t count = std::min(hashes.size(), keys.size() - first);
    for (std::size_t i = 0; i < count; ++i) {
      if (can_tell(keys[first + i])) {
        hashes[i] = hash_of(keys[first + i]);
        for (const std::uint32_t cell : fuse_cells(shape_, hashes[i])) {
          __builtin_prefetch(&array_.cells[cell]);
        }
      }
    }
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < count; ++i) {
      word |= std::uint64_t{!can_tell(keys[first + i]) || matches(hashes[i])} << i;
    }
    answers[first / 64] = word;
  }
}

template <typename Cell>
Status FuseFile<Cell>::write(const Sink& sink) const {
  if (form_ == FuseForm::kPacked) {
    return write_packed(sink);
  }
  std::array<std::byte, kSerialisedHeaderBytes> header;
  store_little(header.data(), array_.seed);
  store_little(header.data() + kSizeAt, shape_.keys);
  store_little(header.data() + kSegmentCellsAt, shape_.segment_cells);
  store_little(header.data() + kSegmentsAt, shape_.segments);
  store_little(header.data() + kStartsAt, shape_.starts());
  store_little(header.data() + kCellsAt, shape_.cells());
  BLOOMERY_RETURN_IF_ERROR(sink(header));
  BLOOMERY_RETURN_IF_ERROR(sink(std::as_bytes(std::span(array_.cells))));
  return spare_.empty() ? Status() : sink(spare_);
}

template <typename Cell>
Status FuseFile<Cell>::write_packed(const Sink& sink) const {
  std::vector<std::byte> front(kPackedHeaderBytes + (array_.cells.size() + 7) / 8);
  store_little(front.data(), array_.seed);
  store_little(front.data() + kSizeAt, shape_.keys);
  std::vector<Cell> stored;
  for (std::size_t i = 0; i < array_.cells.size(); ++i) {
    if (array_.cells[i] != 0) {
      front[kPackedHeaderBytes + i / 8] |= std::byte{1} << (i % 8);
      stored.push_back(array_.cells[i]);
    }
  }
  BLOOMERY_RETURN_IF_ERROR(sink(front));
  return stored.empty() ? Status() : sink(std::as_bytes(std::span(stored)));
}

// Collects the keys, and constructs the filter of all of them.
template <typename Cell>
class FuseFileBuilder final : public DialectBuilder {
 public:
  explicit FuseFileBuilder(FuseForm form) : form_(form) {}

  Status add(std::span<const std::string_view> keys) override {
    for (const std::string_view key : keys) {
      if (key.size() != kKeyBytes) {
        return Error::invalid_argument("key",
                                       message("expected the 8 bytes of an integer, found ", key.size()));
      }
      keys_.push_back(load_little64(reinterpret_cast<const std::byte*>(key.data())));
    }
    return {};
  }

  Result<std::unique_ptr<DialectFilter>> finish() override {
    std::ranges::sort(keys_);
    keys_.erase(std::unique(keys_.begin(), keys_.end()), keys_.end());
    if (keys_.size() > kMostKeys) {
      return Error::capacity(kFuseSubject,
                             message("expected at most ", kMostKeys, " keys, found ", keys_.size()));
    }
    BLOOMERY_ASSIGN_OR_RETURN(FuseArray<Cell> array, construct_fuse<Cell>(keys_));
    // A program writes as many bytes as the library counts.
    std::vector<std::byte> spare(form_ == FuseForm::kSerialised ? kSpareBytes<Cell> : 0);
    return std::unique_ptr<DialectFilter>(std::make_unique<FuseFile<Cell>>(
        form_, fuse_shape_of(static_cast<std::uint32_t>(keys_.size())), std::move(array), std::move(spare)));
  }

 private:
  FuseForm form_;
  std::vector<std::uint64_t> keys_;
};

// Checks what no query needs, but what a writer of the library always makes.
Status check_fuse_is_made(const DialectSource& source, const FuseHeader& header) {
  if (!number_of_seed(header.seed)) {
    return source.doubted(
        kFuseSubject, message("seed: expected one of the 100 that the library tries, found ", header.seed));
  }
  const std::uint32_t keys = header.shape.keys;
  if (keys > kMostKeys || fuse_shape_of(keys) != header.shape) {
    return source.doubted(kFuseSubject,
                          message("segments: expected those of a filter of ", keys, " keys, found ",
                                  header.shape.segments, " of ", header.shape.segment_cells, " cells"));
  }
  return {};
}

// Reads the cells that a packed file has bits for. Precondition: read_packed() returned the header.
template <typename Cell>
Status unpack_cells(const DialectSource& source, const FuseHeader& header, std::span<Cell> cells) {
  const std::span<const std::byte> bitmap = header.bitmap(source.bytes);
  const std::byte* from = source.bytes.data() + header.cells_at;
  bool has_zero = false;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (bit_of(bitmap, i)) {
      std::copy_n(from, sizeof(Cell), reinterpret_cast<std::byte*>(&cells[i]));
      from += sizeof(Cell);
      has_zero |= cells[i] == 0;
    }
  }
  return has_zero ? source.doubted(kFuseSubject,
                                   "cells: expected none of 0 among those that are stored, "
                                   "found one")
                  : Status();
}

template <typename Cell>
RecognisedDialect recognise_fuse(std::span<const std::byte> file) {
  const Result<FuseHeader> header =
      file.size() >= kPackedHeaderBytes && number_of_seed(load_little64(file.data()))
          ? read_either<Cell>(file)
          : Error::corruption(kFuseSubject, 0, "a seed of the library", "another");
  return {.name = name_of_fuse<Cell>(header ? header->form : FuseForm::kSerialised),
          .recognition = header ? Recognition::kCertain : Recognition::kNo};
}

Result<FuseForm> form_named(std::string_view dialect, std::string_view option) {
  if (option.empty() || option == kPackedOption) {
    return option.empty() ? FuseForm::kSerialised : FuseForm::kPacked;
  }
  return unknown_option(dialect, kPackedOption, option);
}

template <typename Cell>
Result<std::unique_ptr<DialectFilter>> open_fuse(const DialectSource& source, std::string_view option) {
  const std::string name = name_of_fuse<Cell>(FuseForm::kSerialised);
  BLOOMERY_ASSIGN_OR_RETURN(const FuseForm named, form_named(name, option));
  BLOOMERY_ASSIGN_OR_RETURN(const FuseHeader header, named == FuseForm::kPacked
                                                         ? read_packed<Cell>(source.bytes)
                                                         : read_either<Cell>(source.bytes));
  BLOOMERY_RETURN_IF_ERROR(check_fuse_is_made(source, header));
  const std::size_t count = header.shape.cells();
  BLOOMERY_ASSIGN_OR_RETURN(auto charged, source.charged("fuse filter", count * sizeof(Cell)));
  FuseArray<Cell> array{.seed = header.seed, .cells = std::vector<Cell>(count)};
  std::vector<std::byte> spare;
  if (header.form == FuseForm::kPacked) {
    BLOOMERY_RETURN_IF_ERROR(unpack_cells(source, header, std::span(array.cells)));
  } else {
    const std::span<std::byte> cells = std::as_writable_bytes(std::span(array.cells));
    std::ranges::copy(source.bytes.subspan(header.cells_at, cells.size()), cells.begin());
    const auto rest = source.bytes.subspan(header.cells_at + cells.size());
    spare.assign(rest.begin(), rest.end());
  }
  std::unique_ptr<DialectFilter> filter =
      std::make_unique<FuseFile<Cell>>(header.form, header.shape, std::move(array), std::move(spare));
  filter->hold(std::move(charged));
  return filter;
}

template <typename Cell>
Result<std::unique_ptr<DialectBuilder>> build_fuse(const DialectPlan&, std::string_view option) {
  BLOOMERY_ASSIGN_OR_RETURN(const FuseForm form,
                            form_named(name_of_fuse<Cell>(FuseForm::kSerialised), option));
  return std::unique_ptr<DialectBuilder>(std::make_unique<FuseFileBuilder<Cell>>(form));
}

// Keys are integers, or their 8 bytes.
Status check_form_of_fuse(std::string_view, KeyForm form) {
  return form == KeyForm::kInt64 || form == KeyForm::kHex
             ? Status()
             : Error::invalid_argument("key form",
                                       message("expected int64, or hex for the 8 bytes of an integer, found ",
                                               key_form_name(form)));
}

template <typename Cell>
Dialect row_of_fuse(std::string_view name, std::string_view summary) {
  return {.description = {.name = name,
                          .options = kPackedOption,
                          .summary = summary,
                          .sized_by = SizedBy::kOption,
                          .usual_key_form = KeyForm::kInt64},
          .recognise = recognise_fuse<Cell>,
          .open = open_fuse<Cell>,
          .build = build_fuse<Cell>,
          .recorded_form = [](std::string_view) { return std::optional(KeyForm::kInt64); },
          .check_form = check_form_of_fuse};
}

}  // namespace
}  // namespace bloomery::xor_singleheader

namespace bloomery {

Dialect fuse8_dialect() {
  return xor_singleheader::row_of_fuse<std::uint8_t>("fuse8", "xor_singleheader's binary_fuse8, fpp 2^-8");
}

Dialect fuse16_dialect() {
  return xor_singleheader::row_of_fuse<std::uint16_t>("fuse16",
                                                      "xor_singleheader's binary_fuse16, fpp 2^-16");
}

}  // namespace bloomery
