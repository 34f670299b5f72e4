#include "adapters/leveldb/blocked_filter.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/endian.h"
#include "bloomery/base/uint128.h"
#include "filter/blocked/blocked_kernel.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kBlockBytes = std::uint64_t{kWindowWords} * 8;
constexpr std::uint64_t kBlockBits = kBlockBytes * 8;

using Block = std::array<std::uint64_t, kWindowWords>;

BlockedTable table_of(std::uint64_t* words, std::uint64_t blocks, std::uint32_t hash_count) {
  return {.words = words, .windows = blocks, .stride_shift = 3, .hash_count = hash_count};
}

std::uint64_t blocks_for(std::uint64_t key_count, int bits_per_key) {
  const std::uint64_t bits = key_count * static_cast<std::uint64_t>(std::max(bits_per_key, 0));
  return std::max<std::uint64_t>((bits + kBlockBits - 1) / kBlockBits, 1);
}

// Returns half the number of bits per key, which is close to the optimum of the model in blocked_sizing.h at
// every size.
std::uint32_t hash_count_for(std::uint64_t key_count, std::uint64_t blocks) {
  const std::uint64_t half = blocks * kBlockBits / (2 * std::max<std::uint64_t>(key_count, 1));
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(half, kMinBlockedHashes, kMaxBlockedHashes));
}

}  // namespace

void append_blocked_filter(std::span<const Hash128> hashes, int bits_per_key, std::string& out) {
  const std::uint64_t blocks = blocks_for(hashes.size(), bits_per_key);
  const std::uint32_t hash_count = hash_count_for(hashes.size(), blocks);
  std::vector<std::uint64_t> words(blocks * kWindowWords);
  chosen_blocked_kernel().insert_batch(table_of(words.data(), blocks, hash_count), hashes,
                                       Sharing::kExclusive);
  out.reserve(out.size() + blocks * kBlockBytes + 1);
  for (const std::uint64_t word : words) {
    std::array<std::byte, 8> bytes;
    store_little(bytes.data(), word);
    out.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  out += static_cast<char>(hash_count);
}

bool blocked_filter_may_match(std::span<const std::byte> filter, const Hash128& hash) {
  if (filter.size() <= kBlockBytes || filter.size() % kBlockBytes != 1) {
    return true;
  }
  const auto hash_count = std::to_integer<std::uint32_t>(filter.back());
  if (hash_count < kMinBlockedHashes || hash_count > kMaxBlockedHashes) {
    return true;
  }
  const Uint128 product = Uint128{hash.low} * (filter.size() / kBlockBytes);
  const std::byte* const from = filter.data() + static_cast<std::uint64_t>(product >> 64) * kBlockBytes;
  alignas(kBlockBytes) Block block;
  for (std::size_t i = 0; i < kWindowWords; ++i) {
    block[i] = load_little64(from + i * 8);
  }
  // A table of one block ignores the high half of the product; the low half selects the same bits as in the
  // full table.
  return chosen_blocked_kernel().one.may_contain(table_of(block.data(), 1, hash_count),
                                                 static_cast<std::uint64_t>(product));
}

}  // namespace bloomery
