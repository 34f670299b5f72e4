#include "adapters/leveldb/line_filter.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/endian.h"
#include "filter/blocked/line_kernel.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kLineBytes = std::uint64_t{kLineWords} * 8;
constexpr std::uint64_t kLineBits = kLineBytes * 8;

using Line = std::array<std::uint64_t, kLineWords>;

LineTable table_of(std::uint64_t* words, std::uint64_t lines, std::uint32_t hash_count) {
  return {.words = words, .windows = lines, .stride_words = kLineWords, .hash_count = hash_count};
}

std::uint64_t lines_for(std::uint64_t key_count, int bits_per_key) {
  const std::uint64_t bits = key_count * static_cast<std::uint64_t>(std::max(bits_per_key, 0));
  return std::max<std::uint64_t>((bits + kLineBits - 1) / kLineBits, 1);
}

// Half of the bits that a key has: close to the best of the model (blocked_sizing.h) at every size.
std::uint32_t hash_count_for(std::uint64_t key_count, std::uint64_t lines) {
  const std::uint64_t half = lines * kLineBits / (2 * std::max<std::uint64_t>(key_count, 1));
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(half, kMinLineHashes, kMaxLineHashes));
}

}  // namespace

void append_line_filter(std::span<const Hash128> hashes, int bits_per_key, std::string& out) {
  const std::uint64_t lines = lines_for(hashes.size(), bits_per_key);
  const std::uint32_t hash_count = hash_count_for(hashes.size(), lines);
  std::vector<std::uint64_t> words(lines * kLineWords);
  chosen_line_kernel().insert_batch(table_of(words.data(), lines, hash_count), hashes, Sharing::kExclusive);
  out.reserve(out.size() + lines * kLineBytes + 1);
  for (const std::uint64_t word : words) {
    std::array<std::byte, 8> bytes;
    store_little(bytes.data(), word);
    out.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  out += static_cast<char>(hash_count);
}

bool line_filter_may_match(std::span<const std::byte> filter, const Hash128& hash) {
  if (filter.size() <= kLineBytes || filter.size() % kLineBytes != 1) {
    return true;
  }
  const auto hash_count = std::to_integer<std::uint32_t>(filter.back());
  if (hash_count < kMinLineHashes || hash_count > kMaxLineHashes) {
    return true;
  }
  __extension__ using Uint128 = unsigned __int128;
  const Uint128 product = Uint128{hash.low} * (filter.size() / kLineBytes);
  const std::byte* const from = filter.data() + static_cast<std::uint64_t>(product >> 64) * kLineBytes;
  alignas(kLineBytes) Line line;
  for (std::size_t i = 0; i < kLineWords; ++i) {
    line[i] = load_little64(from + i * 8);
  }
  // What is left of the hash finds the same bits in a table of this line alone.
  return chosen_line_kernel().may_contain(table_of(line.data(), 1, hash_count),
                                          static_cast<std::uint64_t>(product));
}

}  // namespace bloomery
