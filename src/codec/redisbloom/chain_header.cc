#include "codec/redisbloom/chain_header.h"

#include <array>
#include <optional>

#include "base/endian.h"

namespace bloomery::redisbloom {
namespace {

constexpr std::size_t kFrontBytes = 20;
constexpr std::uint64_t kMaxSize = std::uint64_t{1} << 62;  // leaves room to count further

constexpr const char* kChainHeaderSubject = "redisbloom header";

// Returns the sum of of(link) over all links, or nothing if it exceeds 64 bits.
template <typename Of>
std::optional<std::uint64_t> sum(const std::vector<ChainLink>& links, Of of) {
  std::uint64_t total = 0;
  for (const ChainLink& link : links) {
    if (__builtin_add_overflow(total, of(link), &total)) {
      return std::nullopt;
    }
  }
  return total;
}

std::optional<std::uint64_t> sum_of_sizes(const std::vector<ChainLink>& links) {
  return sum(links, [](const ChainLink& link) { return link.size; });
}

}  // namespace

std::uint64_t ChainHeader::size() const {
  return sum_of_sizes(links).value_or(~std::uint64_t{0});
}

std::uint64_t ChainHeader::data_bytes() const {
  return sum(links, [](const ChainLink& link) { return link.bytes; }).value_or(~std::uint64_t{0});
}

Result<ChainHeader> read_chain_header(std::span<const std::byte> bytes, std::uint64_t offset) {
  if (bytes.size() < kFrontBytes + kLinkBytes) {
    return Error::corruption(kChainHeaderSubject, offset, "at least 73 bytes", bytes.size());
  }
  const std::uint64_t links = load_little32(bytes.data() + 8);
  if (links == 0 || links != (bytes.size() - kFrontBytes) / kLinkBytes ||
      (bytes.size() - kFrontBytes) % kLinkBytes != 0) {
    return Error::corrupt_field(kChainHeaderSubject, offset + 8, "links",
                                "as many as fit " + std::to_string(bytes.size()) + " bytes exactly", links);
  }
  ChainHeader header;
  header.options = load_little32(bytes.data() + 12);
  header.growth = load_little32(bytes.data() + 16);
  if ((header.options & ~kKnownOptions) != 0) {
    return Error::corrupt_field(kChainHeaderSubject, offset + 12, "options", "0 to 15", header.options);
  }
  for (std::size_t at = kFrontBytes; at < bytes.size(); at += kLinkBytes) {
    BLOOMERY_ASSIGN_OR_RETURN(const ChainLink link, read_link(bytes.subspan(at, kLinkBytes), offset + at));
    header.links.push_back(link);
  }
  const std::uint64_t size = load_little64(bytes.data());
  if (sum_of_sizes(header.links) != size || size >= kMaxSize) {
    return Error::corrupt_field(kChainHeaderSubject, offset, "size",
                                "the sum of the links' sizes, below 2^62", size);
  }
  return header;
}

std::string chain_header_bytes(const ChainHeader& header) {
  std::array<std::byte, kFrontBytes> front;
  store_little(front.data(), header.size());
  store_little(front.data() + 8, static_cast<std::uint32_t>(header.links.size()));
  store_little(front.data() + 12, header.options);
  store_little(front.data() + 16, header.growth);
  std::string bytes(reinterpret_cast<const char*>(front.data()), front.size());
  for (const ChainLink& link : header.links) {
    append_link(link, bytes);
  }
  return bytes;
}

}  // namespace bloomery::redisbloom
