#include "codec/redisbloom/chain_link.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "base/endian.h"

namespace bloomery::redisbloom {
namespace {

// (ln 2)^2 and ln 2, truncated as in RedisBloom, since they decide the sizes that it writes.
constexpr double kCutLn2Squared = 0.480453013918201;
constexpr double kCutLn2 = 0.693147180559945;
constexpr double kMaxLinkBits = 4611686018427387904.0;  // 2^62
// Even the smallest positive double needs only 1,549 bits per entry.
constexpr double kMaxBitsPerEntry = 1600;

std::uint32_t link_hash_count(double bits_per_entry) {
  return static_cast<std::uint32_t>(std::ceil(kCutLn2 * bits_per_entry));
}

// Rounds the bits up to the next power of two; a power of two is doubled. The additional bits make room for
// more entries.
Status round_up(double wanted_bits, ChainLink& link) {
  const double log = std::logb(wanted_bits);
  if (log < 0) {
    return Error::capacity("redisbloom link", "less than a bit, which cannot be rounded to a power of two");
  }
  link.n2 = static_cast<std::uint8_t>(log + 1);
  link.bits = std::uint64_t{1} << link.n2;
  const auto gained = static_cast<std::uint64_t>(static_cast<double>(link.bits) - wanted_bits);
  link.entries += static_cast<std::uint64_t>(static_cast<double>(gained) / link.bits_per_entry);
  return {};
}

Status check(const ChainLink& link, std::uint64_t offset) {
  if (!(link.error > 0 && link.error < 1)) {
    return Error::corrupt_field("redisbloom link", offset, "error", "more than 0 and less than 1",
                                link.error);
  }
  if (!(link.bits_per_entry > 0 && link.bits_per_entry <= kMaxBitsPerEntry)) {
    return Error::corrupt_field("redisbloom link", offset, "bits per entry", "more than 0 and at most 1600",
                                link.bits_per_entry);
  }
  if (link.hash_count != link_hash_count(link.bits_per_entry)) {
    return Error::corrupt_field("redisbloom link", offset, "hashes",
                                std::to_string(link_hash_count(link.bits_per_entry)), link.hash_count);
  }
  if (link.bits == 0 || link.bits % 8 != 0 || link.bits / 8 != link.bytes) {
    return Error::corrupt_field("redisbloom link", offset, "bits",
                                "8 times the " + std::to_string(link.bytes) + " bytes", link.bits);
  }
  if (link.n2 > 63 || (link.n2 > 0 && link.bits >> link.n2 == 0)) {
    return Error::corrupt_field("redisbloom link", offset, "n2",
                                "a power of two of at most " + std::to_string(link.bits) + " bits", link.n2);
  }
  // Otherwise a chain could grow by more entries than its links have bits.
  if (!(static_cast<double>(link.entries) * link.bits_per_entry <
        (static_cast<double>(link.bits) + 1) * (1 + 1e-9))) {
    return Error::corrupt_field("redisbloom link", offset, "entries", "no more than there are bits for",
                                link.entries);
  }
  return {};
}

}  // namespace

Result<ChainLink> new_link(std::uint64_t entries, double error, std::uint32_t options) {
  if (entries == 0 || !(error > 0 && error < 1)) {
    return Error::invalid_argument("redisbloom link",
                                   "expected at least 1 entry and an error between 0 and 1, found " +
                                       std::to_string(entries) + " and " + std::to_string(error));
  }
  if ((options & kEntriesAreBits) != 0) {
    return Error(ErrorCode::kUnsupported, "redisbloom link", "sized by bits (option 2)");
  }
  ChainLink link;
  link.error = error;
  link.entries = entries;
  link.bits_per_entry = std::fabs(std::log(error) / kCutLn2Squared);
  link.hash_count = link_hash_count(link.bits_per_entry);
  const double wanted_bits = static_cast<double>(entries) * link.bits_per_entry;
  if (!(wanted_bits < kMaxLinkBits)) {
    return Error::capacity("redisbloom link", "bits: expected less than 2^62");
  }
  if ((options & kNoRounding) != 0) {
    link.bits = std::max(static_cast<std::uint64_t>(wanted_bits), std::uint64_t{1});
  } else {
    BLOOMERY_RETURN_IF_ERROR(round_up(wanted_bits, link));
  }
  link.bytes = (link.bits + 63) / 64 * 8;
  link.bits = link.bytes * 8;
  return link;
}

Result<ChainLink> read_link(std::span<const std::byte> bytes, std::uint64_t offset) {
  const std::byte* const at = bytes.data();
  const ChainLink link{.bytes = load_little64(at),
                       .bits = load_little64(at + 8),
                       .size = load_little64(at + 16),
                       .error = std::bit_cast<double>(load_little64(at + 24)),
                       .bits_per_entry = std::bit_cast<double>(load_little64(at + 32)),
                       .hash_count = load_little32(at + 40),
                       .entries = load_little64(at + 44),
                       .n2 = std::to_integer<std::uint8_t>(at[52])};
  BLOOMERY_RETURN_IF_ERROR(check(link, offset));
  return link;
}

void append_link(const ChainLink& link, std::string& out) {
  std::array<std::byte, kLinkBytes> bytes;
  store_little(bytes.data(), link.bytes);
  store_little(bytes.data() + 8, link.bits);
  store_little(bytes.data() + 16, link.size);
  store_little(bytes.data() + 24, std::bit_cast<std::uint64_t>(link.error));
  store_little(bytes.data() + 32, std::bit_cast<std::uint64_t>(link.bits_per_entry));
  store_little(bytes.data() + 40, link.hash_count);
  store_little(bytes.data() + 44, link.entries);
  bytes[52] = static_cast<std::byte>(link.n2);
  out.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

}  // namespace bloomery::redisbloom
