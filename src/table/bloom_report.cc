#include "table/bloom_report.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "cli/hfile/cell_text.h"
#include "cli/numbers.h"
#include "hfile/bloom/bloom_chunk.h"

namespace bloomery::cli {
namespace {

Result<hfile::BlockPointer> read_chunk(const hfile::OpenFile& file, const hbase::ChunkEntry& chunk) {
  return file.source().read({.kind = hfile::BlockKind::kBloomChunk,
                             .offset = chunk.block_offset,
                             .on_disk_bytes = chunk.block_bytes});
}

Result<nlohmann::ordered_json> describe(const hfile::OpenFile& file, const hfile::ChunkedFilter& filter,
                                        hbase::BloomType type, const char* name) {
  const hbase::BloomMeta& meta = filter.meta();
  const Result<BloomFill> measured = measure_fill(file, filter);
  if (!measured) {
    return measured.error().in_file(file.path());
  }
  const auto keys = static_cast<double>(meta.key_count);
  nlohmann::ordered_json object = {{"type", name}};
  if (file.bloom_prefix_bytes() != 0 && &filter == &*file.bloom()) {
    object["prefix_bytes"] = file.bloom_prefix_bytes();
  }
  object["hash"] = hbase::bloom_hash_name(meta.hash);
  object["hash_count"] = meta.hash_count;
  object["chunks"] = meta.chunks.size();
  object["keys"] = meta.key_count;
  object["max_keys"] = meta.max_keys;
  object["byte_size"] = meta.total_bytes;
  object["bits_per_key"] = keys > 0 ? static_cast<double>(measured->bits) / keys : 0.0;
  object["fill_ratio"] = measured->ratio();
  object["current_fpp"] = measured->fpp_of_lookup(type);
  return object;
}

// In the order in which they are looked at, each once.
std::string zero_bits(std::span<const std::byte> chunk, std::uint32_t hash_count, hbase::HashPair pair) {
  const hbase::ChunkPositions positions(static_cast<std::uint32_t>(chunk.size() * 8));
  std::vector<std::uint32_t> zeros;
  for (std::uint32_t i = 0; i < hash_count; ++i) {
    const std::uint32_t position = positions.of(pair, i);
    const bool is_set = (std::to_integer<unsigned>(chunk[position / 8]) >> (position % 8) & 1) != 0;
    if (!is_set && std::ranges::find(zeros, position) == zeros.end()) {
      zeros.push_back(position);
    }
  }
  return fmt::format("{}", fmt::join(zeros, ", "));
}

}  // namespace

Status check_filter_answers(const hfile::OpenFile& file) {
  if (!file.filter_status()) {
    return file.filter_status().error().in_file(file.path());
  }
  if (const std::uint64_t damaged = file.counters().damaged_bloom_answers; damaged != 0) {
    return Error(
        ErrorCode::kCorruption, file.path(),
        fmt::format("answers that are maybe only because a chunk of its Bloom filter is damaged: {}; "
                    "`bloomery hfile verify` says which chunk",
                    show_count(damaged)));
  }
  return {};
}

Result<BloomFill> measure_fill(const hfile::OpenFile& file, const hfile::ChunkedFilter& filter) {
  BloomFill fill;
  double weighted_fpp = 0;
  for (const hbase::ChunkEntry& chunk : filter.meta().chunks) {
    BLOOMERY_ASSIGN_OR_RETURN(const hfile::BlockPointer block, read_chunk(file, chunk));
    std::uint64_t set_bits = 0;
    for (const std::byte byte : block->payload()) {
      set_bits += static_cast<std::uint64_t>(std::popcount(std::to_integer<unsigned>(byte)));
    }
    const std::uint64_t bits = std::uint64_t{8} * block->payload().size();
    fill.bits += bits;
    fill.set_bits += set_bits;
    const double ratio = bits == 0 ? 1 : static_cast<double>(set_bits) / static_cast<double>(bits);
    weighted_fpp += std::pow(ratio, filter.meta().hash_count) * static_cast<double>(bits);
  }
  fill.fpp = fill.bits == 0 ? 0 : weighted_fpp / static_cast<double>(fill.bits);
  return fill;
}

Result<nlohmann::ordered_json> describe_blooms(const hfile::OpenFile& file) {
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  if (file.bloom() && file.bloom_type() != hbase::BloomType::kNone) {
    BLOOMERY_ASSIGN_OR_RETURN(object["bloom"], describe(file, *file.bloom(), file.bloom_type(),
                                                        hbase::bloom_type_name(file.bloom_type())));
  }
  if (file.delete_family_bloom()) {
    BLOOMERY_ASSIGN_OR_RETURN(
        object["delete_family_bloom"],
        describe(file, *file.delete_family_bloom(), hbase::BloomType::kRow, "DELETE_FAMILY"));
  }
  return object;
}

std::string explain_no(const hfile::OpenFile& file, std::string_view key) {
  const hbase::BloomMeta& meta = file.bloom()->meta();
  const auto i = hbase::chunk_of(meta, key);
  if (!i) {
    return "before the first key of its first chunk";
  }
  const hbase::ChunkEntry& chunk = meta.chunks[*i];
  const Result<hfile::BlockPointer> block = read_chunk(file, chunk);
  if (!block) {
    return "not in a chunk that could not be read again: " + block.error().to_string();
  }
  const std::string zeros = zero_bits((*block)->payload(), meta.hash_count, hbase::hash_pair(meta.hash, key));
  if (zeros.empty()) {
    return "behind its last key";  // the bits would say maybe
  }
  return fmt::format("not in chunk {} at byte {}: of its {} bits, these of the key are 0: {}", *i,
                     chunk.block_offset, 8 * (*block)->payload().size(), zeros);
}

}  // namespace bloomery::cli
