#include "codec/parquet/split_blocks.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>

#include "base/endian.h"
#include "codec/probes.h"
#include "hash/xxh.h"

namespace bloomery::parquet {
namespace {

constexpr std::size_t kWords = 8;
constexpr std::array<std::uint32_t, kWords> kSalts = {0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d,
                                                      0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31};

std::uint32_t mask_of(std::uint64_t hash, std::size_t word) {
  return std::uint32_t{1} << (static_cast<std::uint32_t>(hash) * kSalts[word] >> 27);
}

// Queries `filter` for the hashes whose bits are set in `wanted`. Returns the bits of those that match.
std::uint64_t answer(const SplitBlocks& filter, std::span<const std::uint64_t> hashes, std::uint64_t wanted) {
  for (std::uint64_t left = wanted; left != 0; left &= left - 1) {
    __builtin_prefetch(filter.block_of(hashes[static_cast<std::size_t>(std::countr_zero(left))]));
  }
  std::uint64_t answers = 0;
  for (std::uint64_t left = wanted; left != 0; left &= left - 1) {
    const auto i = static_cast<std::size_t>(std::countr_zero(left));
    answers |= std::uint64_t{filter.test(hashes[i])} << i;
  }
  return answers;
}

}  // namespace

SplitBlocks::SplitBlocks(std::span<const std::byte> bitset)
    : bitset_(bitset), blocks_(bitset.size() / kBlockBytes) {
  assert(blocks_ > 0 && bitset.size() % kBlockBytes == 0 && bitset.size() <= std::size_t{1} << 31);
}

bool SplitBlocks::test(std::uint64_t hash) const {
  const std::byte* const block = block_of(hash);
  std::uint32_t missing = 0;
  for (std::size_t i = 0; i < kWords; ++i) {
    missing |= mask_of(hash, i) & ~load_little32(block + i * 4);
  }
  return missing == 0;
}

bool set_bits_of(std::uint64_t hash, std::byte* block) {
  std::uint32_t missing = 0;
  for (std::size_t i = 0; i < kWords; ++i) {
    const std::uint32_t word = load_little32(block + i * 4);
    const std::uint32_t mask = mask_of(hash, i);
    missing |= mask & ~word;
    store_little(block + i * 4, word | mask);
  }
  return missing != 0;
}

std::uint64_t SplitBlocks::set_bits() const {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < bitset_.size(); i += 8) {
    count += static_cast<std::uint64_t>(std::popcount(load_little64(bitset_.data() + i)));
  }
  return count;
}

double SplitBlocks::fpp() const {
  double sum = 0;
  for (std::size_t block = 0; block < bitset_.size(); block += kBlockBytes) {
    double product = 1;
    for (std::size_t i = 0; i < kWords; ++i) {
      product *= std::popcount(load_little32(bitset_.data() + block + i * 4)) / 32.0;
    }
    sum += product;
  }
  return sum / static_cast<double>(blocks_);
}

bool any_may_contain(std::span<const SplitBlocks> filters, std::string_view key) {
  const std::uint64_t hash = xxh64(key);
  return std::ranges::any_of(filters, [hash](const SplitBlocks& filter) { return filter.test(hash); });
}

void any_may_contain_batch(std::span<const SplitBlocks> filters, std::span<const std::string_view> keys,
                           std::span<std::uint64_t> answers) {
  std::array<std::uint64_t, probes::kGroup> hashes;
  for (std::size_t start = 0; start < keys.size(); start += probes::kGroup) {
    const auto group = keys.subspan(start, std::min(probes::kGroup, keys.size() - start));
    std::ranges::transform(group, hashes.begin(), [](std::string_view key) { return xxh64(key); });
    std::uint64_t left = ~std::uint64_t{0} >> (probes::kGroup - group.size());
    std::uint64_t found = 0;
    for (const SplitBlocks& filter : filters) {
      const std::uint64_t yes = answer(filter, hashes, left);
      found |= yes;
      left &= ~yes;
    }
    answers[start / probes::kGroup] = found;
  }
}

}  // namespace bloomery::parquet
