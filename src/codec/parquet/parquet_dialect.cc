// The dialect of Parquet's split-block Bloom filters. The bytes tell which of two kinds a file is:
//
//   one filter by itself                      RawFilter, below
//   a .parquet file, for one of its columns   column_filters.h
//
// The option has two meanings:
//
//   parquet[:arrow|duckdb]        to build, or to open a filter by itself: the rule that sizes it
//   parquet[:COLUMN[,ROWGROUP]]   to open a .parquet file
//
// Keys are plain-encoded values: INT32 as 4 bytes, INT64 as 8 bytes, little-endian; text as its bytes,
// without a length. Source: docs/formats/parquet.md. Not here: writing .parquet files.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/memory.h"
#include "bloomery/base/result.h"
#include "bloomery/codec/dialect_filter.h"
#include "bloomery/hash/hash128.h"
#include "codec/dialect.h"
#include "codec/inserting_builder.h"
#include "codec/parquet/block_filters.h"
#include "codec/parquet/column_filters.h"
#include "codec/parquet/file_metadata.h"
#include "codec/parquet/filter_header.h"
#include "codec/parquet/parquet_sizing.h"
#include "codec/parquet/split_blocks.h"
#include "codec/plan.h"
#include "hash/xxh.h"

namespace bloomery::parquet {
namespace {

// A split-block filter by itself: the header and bitset that a Parquet file has at bloom_filter_offset, and
// nothing after them.
//
// The filter owns its memory. It writes the usual encoding of the header, whatever it has read.
class RawFilter final : public BlockFilters {
 public:
  // Makes an empty filter. Errors: kCapacity.
  static Result<std::unique_ptr<RawFilter>> create(std::uint64_t bitset_bytes);
  // Copies a filter from the bytes of a file. Errors: kCorruption, kUnsupported; kCapacity.
  static Result<std::unique_ptr<RawFilter>> read(std::span<const std::byte> file);

  std::string dialect() const override { return "parquet"; }
  std::span<const SplitBlocks> filters() const override { return {&blocks_, 1}; }
  Result<bool> insert(std::string_view key) override;
  Result<std::uint64_t> insert_batch(std::span<const std::string_view> keys) override;
  // Merges filters with the same number of blocks, also filters inside a .parquet file.
  Status merge(const DialectFilter& other) override;
  Status write(const Sink& sink) const override;

 private:
  explicit RawFilter(AlignedBuffer bitset) : bitset_(std::move(bitset)), blocks_(bitset_.bytes()) {}

  AlignedBuffer bitset_;
  SplitBlocks blocks_;
};

constexpr std::size_t kBlocksAhead = 16;  // keys whose blocks are prefetched and not changed yet

Result<std::unique_ptr<RawFilter>> RawFilter::create(std::uint64_t bitset_bytes) {
  BLOOMERY_ASSIGN_OR_RETURN(AlignedBuffer bitset, AlignedBuffer::zeroed(bitset_bytes));
  return std::unique_ptr<RawFilter>(new RawFilter(std::move(bitset)));
}

Result<std::unique_ptr<RawFilter>> RawFilter::read(std::span<const std::byte> file) {
  BLOOMERY_ASSIGN_OR_RETURN(const FilterHeader header, read_filter_header(file, 0));
  if (file.size() != header.size_bytes()) {
    return Error::corruption("parquet filter", header.header_bytes,
                             std::to_string(header.bitset_bytes) + " bytes behind the header",
                             file.size() - header.header_bytes);
  }
  BLOOMERY_ASSIGN_OR_RETURN(std::unique_ptr<RawFilter> filter, create(header.bitset_bytes));
  std::ranges::copy(file.subspan(header.header_bytes), filter->bitset_.bytes().begin());
  return filter;
}

Result<bool> RawFilter::insert(std::string_view key) {
  const std::uint64_t hash = xxh64(key);
  return set_bits_of(hash, bitset_.bytes().data() + blocks_.offset_of(hash));
}

Result<std::uint64_t> RawFilter::insert_batch(std::span<const std::string_view> keys) {
  std::array<std::uint64_t, kBlocksAhead> waiting;
  std::uint64_t changed = 0;
  const auto settle = [&](std::uint64_t hash) {
    changed += std::uint64_t{set_bits_of(hash, bitset_.bytes().data() + blocks_.offset_of(hash))};
  };
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i >= kBlocksAhead) {
      settle(waiting[i % kBlocksAhead]);
    }
    waiting[i % kBlocksAhead] = xxh64(keys[i]);
    __builtin_prefetch(blocks_.block_of(waiting[i % kBlocksAhead]), 1);
  }
  for (std::size_t i = keys.size() - std::min(kBlocksAhead, keys.size()); i < keys.size(); ++i) {
    settle(waiting[i % kBlocksAhead]);
  }
  return changed;
}

Status RawFilter::merge(const DialectFilter& other) {
  const auto* const theirs = dynamic_cast<const BlockFilters*>(&other);
  if (theirs == nullptr) {
    return Error::invalid_argument("merge", "dialect: expected parquet, found " + other.dialect());
  }
  if (theirs == this) {
    return Error::invalid_argument("merge", "expected another filter, found the same one");
  }
  for (const SplitBlocks& filter : theirs->filters()) {
    if (filter.block_count() != blocks_.block_count()) {
      return Error::invalid_argument("merge", "blocks: expected " + std::to_string(blocks_.block_count()) +
                                                  ", found " + std::to_string(filter.block_count()));
    }
  }
  for (const SplitBlocks& filter : theirs->filters()) {
    std::ranges::transform(bitset_.bytes(), filter.bitset(), bitset_.bytes().begin(),
                           [](std::byte mine, std::byte found) { return mine | found; });
  }
  return {};
}

Status RawFilter::write(const Sink& sink) const {
  const std::string header = filter_header_bytes(blocks_.bitset().size());
  BLOOMERY_RETURN_IF_ERROR(sink(std::as_bytes(std::span(header))));
  return sink(blocks_.bitset());
}

// A digest of the filters of a Parquet file: of its footer, and of each filter with its header, in the order
// of the row groups. It reads no data pages. For a filter that is a file of its own, it covers all bytes.

// Returns the chunk's filter with its header, or no bytes if it has none that can be read.
std::span<const std::byte> filter_of(const ColumnChunk& chunk, std::span<const std::byte> data) {
  const auto begin = static_cast<std::uint64_t>(chunk.filter_offset.value_or(0));
  if (begin == 0 || begin >= data.size() || chunk.encrypted || chunk.in_other_file) {
    return {};
  }
  const auto header = read_filter_header(data.subspan(begin), begin);
  return header && header->size_bytes() <= data.size() - begin ? data.subspan(begin, header->size_bytes())
                                                               : std::span<const std::byte>();
}

// Errors: kCorruption, also if the filters have more bytes than the file; kUnsupported for an encrypted
// footer.
Result<Hash128> filter_digest(std::span<const std::byte> file) {
  if (!looks_like_file(file)) {
    return hash_bytes(file, {.id = HashId::kXxh3});
  }
  BLOOMERY_ASSIGN_OR_RETURN(const Footer footer, read_footer(file));
  const std::span<const std::byte> data = file.first(footer.offset);
  Hash128 digest = hash_bytes(footer.metadata, {.id = HashId::kXxh3});
  std::uint64_t left = data.size();
  const Status walked = for_each_column_chunk(footer, [&](const ColumnChunk& chunk) -> Status {
    const std::span<const std::byte> filter = filter_of(chunk, data);
    if (filter.size() > left) {
      return Error::corruption(kFileSubject, static_cast<std::uint64_t>(*chunk.filter_offset),
                               "filters that do not overlap", "more bytes of filters than the file has");
    }
    left -= filter.size();
    // The digest so far is the seed, so the order of the filters counts.
    digest = hash_bytes(filter, {.id = HashId::kXxh3, .seed = digest.low ^ digest.high});
    return {};
  });
  return walked ? Result<Hash128>(digest) : walked.error();
}

}  // namespace
}  // namespace bloomery::parquet

namespace bloomery {
namespace {

Result<parquet::SizingRule> sizing_rule(std::string_view option) {
  if (option.empty() || option == "arrow") {
    return parquet::SizingRule::kArrow;
  }
  if (option == "duckdb") {
    return parquet::SizingRule::kDuckDb;
  }
  return unknown_option("parquet", "arrow or duckdb (a column only of a .parquet file)", option);
}

RecognisedDialect recognise_parquet(std::span<const std::byte> file) {
  const bool certain = parquet::looks_like_file(file) || parquet::read_filter_header(file, 0);
  return {.name = "parquet", .recognition = certain ? Recognition::kCertain : Recognition::kNo};
}

Result<std::unique_ptr<DialectFilter>> open_parquet(const DialectSource& source, std::string_view option) {
  if (parquet::looks_like_file(source.bytes)) {
    BLOOMERY_ASSIGN_OR_RETURN(
        std::unique_ptr<DialectFilter> filter,
        parquet::ColumnFilters::open(source.bytes, option, source.memory, source.missing));
    filter->hold(source.owner);
    return filter;
  }
  // An option that names no sizing rule names a column of a .parquet file. If the bytes are not a lone
  // filter either, the file was truncated or extended, which read_footer() reports.
  const Result<parquet::SizingRule> rule = sizing_rule(option);
  if (!rule && !parquet::RawFilter::read(source.bytes)) {
    return parquet::read_footer(source.bytes).error();
  }
  if (!rule) {
    return rule.error();
  }
  BLOOMERY_ASSIGN_OR_RETURN(auto charged, source.charged("parquet filter", source.bytes.size()));
  BLOOMERY_ASSIGN_OR_RETURN(std::unique_ptr<DialectFilter> filter, parquet::RawFilter::read(source.bytes));
  filter->hold(std::move(charged));
  return filter;
}

Result<std::unique_ptr<DialectBuilder>> build_parquet(const DialectPlan& plan, std::string_view option) {
  BLOOMERY_ASSIGN_OR_RETURN(const parquet::SizingRule rule, sizing_rule(option));
  BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t bytes, parquet::bitset_bytes(plan, rule));
  BLOOMERY_ASSIGN_OR_RETURN(std::unique_ptr<DialectFilter> filter, parquet::RawFilter::create(bytes));
  return inserting_builder(std::move(filter));
}

}  // namespace

Dialect parquet_dialect() {
  return {.description = {.name = "parquet",
                          .options = "arrow|duckdb (sizing), or COLUMN[,ROWGROUP] of a .parquet file",
                          .summary = "split-block filters, by themselves or inside .parquet files",
                          .sized_by = SizedBy::kCapacity,
                          .usual_key_form = KeyForm::kText},
          .recognise = recognise_parquet,
          .open = open_parquet,
          .build = build_parquet,
          .magic = {"PAR1", "a .parquet file"},
          .holds_data = true,
          .has_columns = parquet::looks_like_file,
          .filter_digest = parquet::filter_digest};
}

}  // namespace bloomery
