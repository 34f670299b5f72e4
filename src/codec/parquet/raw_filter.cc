#include "codec/parquet/raw_filter.h"

#include <algorithm>
#include <array>

#include "codec/parquet/filter_header.h"
#include "hash/xxh64.h"

namespace bloomery::parquet {
namespace {

constexpr std::size_t kBlocksAhead = 16;  // keys whose blocks are prefetched and not changed yet

}  // namespace

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

}  // namespace bloomery::parquet
