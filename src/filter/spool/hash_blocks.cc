#include "filter/spool/hash_blocks.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <string>

#include "base/crc32c.h"
#include "base/endian.h"

namespace bloomery {
namespace {

// Offsets in the header of a block. They are on disk since version 1.
constexpr std::size_t kBlockCountAt = 0;
constexpr std::size_t kCodeBytesAt = 4;
constexpr std::size_t kFirstAt = 8;
constexpr std::size_t kLastAt = 16;
constexpr std::size_t kRiceBitsAt = 24;
constexpr std::size_t kCodesChecksumAt = 28;
constexpr std::size_t kBlockChecksumAt = 32;

constexpr unsigned kHashBits = 64;
constexpr std::uint32_t kMaxRiceBits = 56;
constexpr std::uint64_t kMaxCodeBits = 96;  // of one gap
constexpr std::size_t kDigestBytes = 16;

void encode_block_header(const Run& run, std::byte* bytes) {
  store_little(bytes + kBlockCountAt, static_cast<std::uint32_t>(run.count));
  store_little(bytes + kCodeBytesAt, static_cast<std::uint32_t>(run.size_bytes));
  store_little(bytes + kFirstAt, run.first);
  store_little(bytes + kLastAt, run.last);
  store_little(bytes + kRiceBitsAt, static_cast<std::uint32_t>(run.rice_bits));
  store_little(bytes + kCodesChecksumAt, run.crc);
  store_little(bytes + kBlockChecksumAt, crc32c(std::span(bytes, kBlockChecksumAt)));
}

Run decode_block_header(const std::byte* bytes, std::uint64_t codes_offset) {
  return {.count = load_little32(bytes + kBlockCountAt),
          .first = load_little64(bytes + kFirstAt),
          .last = load_little64(bytes + kLastAt),
          .kept_bits = kHashBits,
          .rice_bits = load_little32(bytes + kRiceBitsAt),
          .offset = codes_offset,
          .size_bytes = load_little32(bytes + kCodeBytesAt),
          .crc = load_little32(bytes + kCodesChecksumAt)};
}

}  // namespace

Status HashBlockWriter::add(std::span<const std::uint64_t> hashes) {
  while (!hashes.empty()) {
    if (waiting_.empty() && hashes.size() >= kBlockHashes) {
      BLOOMERY_RETURN_IF_ERROR(write_block(hashes.first(kBlockHashes)));
      hashes = hashes.subspan(kBlockHashes);
      continue;
    }
    const std::size_t count = std::min<std::size_t>(hashes.size(), kBlockHashes - waiting_.size());
    waiting_.insert(waiting_.end(), hashes.begin(), hashes.begin() + static_cast<std::ptrdiff_t>(count));
    hashes = hashes.subspan(count);
    if (waiting_.size() == kBlockHashes) {
      BLOOMERY_RETURN_IF_ERROR(write_block(waiting_));
      waiting_.clear();
    }
  }
  return {};
}

Status HashBlockWriter::finish() {
  if (!waiting_.empty()) {
    BLOOMERY_RETURN_IF_ERROR(write_block(waiting_));
    waiting_.clear();
  }
  return {};
}

Status HashBlockWriter::write_block(std::span<const std::uint64_t> hashes) {
  // The block is built after the digest of the previous blocks, so that one call hashes both.
  block_.resize(kDigestBytes + kHashBlockHeaderBytes);
  RunEncoder encoder(hashes, kHashBits, 0);
  for (auto piece = encoder.next_piece(); !piece.empty(); piece = encoder.next_piece()) {
    block_.insert(block_.end(), piece.begin(), piece.end());
  }
  store_little(block_.data(), digest_.low);
  store_little(block_.data() + 8, digest_.high);
  encode_block_header(encoder.run(), block_.data() + kDigestBytes);
  digest_ = hash_bytes(std::span<const std::byte>(block_), HashSpec{.id = HashId::kXxh3});
  const std::span<const std::byte> written = std::span(block_).subspan(kDigestBytes);
  hashes_ += hashes.size();
  bytes_ += written.size();
  return append_(written);
}

HashBlockReader::HashBlockReader(File& file, const Extent& extent)
    : file_(&file), extent_(extent), next_(extent.offset), left_(extent.hashes) {}

Status HashBlockReader::read_through(std::uint64_t last, std::vector<std::uint64_t>& out) {
  for (;;) {
    if (!block_ || block_->exhausted()) {
      if (left_ == 0 && next_ == extent_.offset + extent_.bytes) {
        return {};
      }
      BLOOMERY_RETURN_IF_ERROR(open_block());
    }
    if (first_ > last) {
      return {};
    }
    BLOOMERY_RETURN_IF_ERROR(block_->decode_through(last, out));
    if (!block_->exhausted()) {
      return {};
    }
  }
}

Status HashBlockReader::check_end() const {
  const bool taken = !block_ || block_->exhausted();
  if (!taken || left_ != 0 || next_ != extent_.offset + extent_.bytes) {
    return damage("expected its last hash in range, found hashes behind it");
  }
  return {};
}

// Reads the header of the next block. Its hashes are decoded later.
Status HashBlockReader::open_block() {
  const std::uint64_t end = extent_.offset + extent_.bytes;
  if (end - next_ < kHashBlockHeaderBytes) {
    return damage("expected another block, found the end");
  }
  std::array<std::byte, kHashBlockHeaderBytes> header;
  BLOOMERY_RETURN_IF_ERROR(file_->read_exactly_at(next_, header));
  const std::uint32_t stored = load_little32(header.data() + kBlockChecksumAt);
  const std::uint32_t computed = crc32c(std::span(header).first(kBlockChecksumAt));
  if (stored != computed) {
    return damage("checksum of its header: expected " + std::to_string(computed) + ", found " +
                  std::to_string(stored));
  }
  const Run run = decode_block_header(header.data(), next_ + kHashBlockHeaderBytes);
  BLOOMERY_RETURN_IF_ERROR(check_block(run));
  left_ -= run.count;
  last_ = run.last;
  first_ = run.first;
  next_ += kHashBlockHeaderBytes + run.size_bytes;
  block_.emplace(*file_, run);
  return {};
}

// Checks everything that the decoder relies on.
Status HashBlockReader::check_block(const Run& run) const {
  if (run.count == 0 || run.count > kBlockHashes || run.count > left_) {
    return damage("hashes: expected 1 to " + std::to_string(std::min<std::uint64_t>(kBlockHashes, left_)) +
                  ", found " + std::to_string(run.count));
  }
  const std::uint64_t room = extent_.offset + extent_.bytes - next_ - kHashBlockHeaderBytes;
  const std::uint64_t most = std::min(room, ((run.count - 1) * kMaxCodeBits + 7) / 8);
  if (run.size_bytes > most) {
    return damage("code bytes: expected at most " + std::to_string(most) + ", found " +
                  std::to_string(run.size_bytes));
  }
  if (run.rice_bits > kMaxRiceBits) {
    return damage("k: expected at most 56, found " + std::to_string(run.rice_bits));
  }
  if (run.first > run.last || run.last - run.first < run.count - 1 ||
      (run.count == 1 && run.first != run.last) || (last_ && run.first <= *last_)) {
    return damage("expected hashes that ascend");
  }
  if (run.first < extent_.range.lowest || run.last > extent_.range.highest) {
    return damage("expected hashes of its range, found others");
  }
  return {};
}

Error HashBlockReader::damage(const std::string& detail) const {
  return Error::corruption(file_->path(), next_, "block of hashes: " + detail);
}

}  // namespace bloomery
