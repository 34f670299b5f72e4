#include "filter/spool/run_coding.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstring>
#include <string>

#include "base/crc32c.h"
#include "base/endian.h"

namespace bloomery {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{64} << 10;
constexpr std::size_t kPutBytes = 32;  // room beyond kPieceBytes for the last gap and its 8-byte stores
constexpr unsigned kQuotientEnd = 32;  // a quotient from here on is escaped
constexpr unsigned kPutBitsMax = 56;   // put() holds up to 7 bits back
constexpr unsigned kLoadBits = 57;     // bits that an 8-byte load yields from any bit of its first byte
constexpr unsigned kRiceBitsMax = 56;  // a remainder fits one load and one put()
constexpr std::uint64_t kCodeBitsMax = 96;
constexpr std::uint64_t kTouchedBytes = 20;  // bytes from a code's first on that decoding may load
constexpr std::size_t kZeroBytes = 32;       // zeros after the buffer, more than kTouchedBytes
constexpr std::uint64_t kDecodedMax = 256;   // hashes buffered before the vector

constexpr std::uint64_t low_ones(unsigned count) {
  return (std::uint64_t{1} << count) - 1;
}

// Returns the k for gaps of this mean. k and k + 1 cost the same if 2^k / mean is 0.4812, the negated natural
// logarithm of 0.618 (the golden section). So 2^k is the power of two in (0.4812, 0.9624] of the mean; 25/26
// = 0.9615 approximates the upper limit.
unsigned fitted_rice_bits(std::uint64_t mean_gap) {
  const std::uint64_t power_max = mean_gap - mean_gap / 26;
  return power_max == 0 ? 0 : std::min(kRiceBitsMax, static_cast<unsigned>(std::bit_width(power_max)) - 1);
}

struct Code {
  std::uint64_t value;  // the gap minus 1
  unsigned bits;
};

std::uint64_t load_bits(const std::byte* bytes, std::uint64_t position) {
  return load_little64(bytes + (position >> 3)) >> (position & 7);
}

Code escaped_code(const std::byte* bytes, std::uint64_t position) {
  const std::uint64_t low = load_bits(bytes, position + 32) & low_ones(32);
  const std::uint64_t high = load_bits(bytes, position + 64) & low_ones(32);
  return {.value = high << 32 | low, .bits = kCodeBitsMax};
}

inline Code load_code(const std::byte* bytes, std::uint64_t position, unsigned rice_bits) {
  std::uint64_t word = load_bits(bytes, position);
  const auto quotient = static_cast<unsigned>(std::countr_one(word));
  if (quotient >= kQuotientEnd) [[unlikely]] {
    return escaped_code(bytes, position);
  }
  const unsigned bits = quotient + 1 + rice_bits;
  word = bits <= kLoadBits ? word >> (quotient + 1) : load_bits(bytes, position + quotient + 1);
  return {.value = std::uint64_t{quotient} << rice_bits | (word & low_ones(rice_bits)), .bits = bits};
}

}  // namespace

RunEncoder::RunEncoder(std::span<const std::uint64_t> hashes, unsigned kept_bits, std::uint64_t offset)
    : hashes_(hashes), piece_(kPieceBytes + kPutBytes) {
  assert(!hashes.empty() && kept_bits >= 1 && kept_bits <= 64);
  const std::uint64_t units = (hashes.back() - hashes.front()) >> (64 - kept_bits);
  run_ = {.count = hashes.size(),
          .first = hashes.front(),
          .last = hashes.back(),
          .kept_bits = kept_bits,
          .rice_bits = hashes.size() == 1 ? 0 : fitted_rice_bits(units / (hashes.size() - 1)),
          .offset = offset};
}

std::span<const std::byte> RunEncoder::next_piece() {
  piece_size_ = 0;
  const unsigned dropped_bits = 64 - run_.kept_bits;
  for (; next_ < hashes_.size() && piece_size_ < kPieceBytes; ++next_) {
    assert(hashes_[next_ - 1] < hashes_[next_]);
    put_gap(((hashes_[next_] - hashes_[next_ - 1]) >> dropped_bits) - 1);
  }
  if (next_ == hashes_.size() && pending_bits_ > 0) {
    put(0, 8 - pending_bits_);
  }
  const auto piece = std::span<const std::byte>(piece_).first(piece_size_);
  run_.size_bytes += piece.size();
  run_.crc = crc32c(piece, run_.crc);
  return piece;
}

void RunEncoder::put(std::uint64_t value, unsigned bits) {
  assert(bits <= kPutBitsMax);
  pending_ |= value << pending_bits_;
  pending_bits_ += bits;
  store_little(piece_.data() + piece_size_, pending_);
  piece_size_ += pending_bits_ / 8;
  pending_ >>= pending_bits_ & ~7U;
  pending_bits_ &= 7;
}

void RunEncoder::put_gap(std::uint64_t gap_less_1) {
  const std::uint64_t quotient = gap_less_1 >> run_.rice_bits;
  if (quotient >= kQuotientEnd) {
    put(low_ones(kQuotientEnd), kQuotientEnd);
    put(gap_less_1 & low_ones(32), 32);
    put(gap_less_1 >> 32, 32);
    return;
  }
  const auto ones = static_cast<unsigned>(quotient);
  put(low_ones(ones), ones + 1);
  put(gap_less_1 & low_ones(run_.rice_bits), run_.rice_bits);
}

RunDecoder::RunDecoder(File& file, const Run& run, std::size_t buffer_bytes)
    : file_(&file),
      run_(run),
      left_(run.count),
      unit_(run.first >> (64 - run.kept_bits)),
      capacity_(static_cast<std::size_t>(std::min<std::uint64_t>(buffer_bytes, run.size_bytes))) {
  assert(run.count > 0 && buffer_bytes >= 64);
}

Status RunDecoder::decode_through(std::uint64_t last, std::vector<std::uint64_t>& out) {
  const unsigned dropped_bits = 64 - run_.kept_bits;
  const std::uint64_t last_unit = last >> dropped_bits;
  while (left_ > 0 && unit_ <= last_unit) {
    if (left_ > 1) {
      BLOOMERY_RETURN_IF_ERROR(refill());
      BLOOMERY_RETURN_IF_ERROR(decode_some(last_unit, out));
    } else {
      BLOOMERY_RETURN_IF_ERROR(check_end());
      out.push_back(unit_ << dropped_bits);
      left_ = 0;
    }
  }
  return {};
}

// Returns how many codes of any length can be decoded without a check for the buffer's end.
std::uint64_t RunDecoder::codes_in_buffer() const {
  if (buffer_.empty()) {
    return 0;  // also of a run that claims hashes and has no bytes
  }
  const std::uint64_t readable = filled_ + (read_ == run_.size_bytes ? kZeroBytes : 0);
  const std::uint64_t needed = position_ + kTouchedBytes * 8;
  return readable * 8 < needed ? 0 : (readable * 8 - needed) / kCodeBitsMax + 1;
}

Status RunDecoder::refill() {
  if (codes_in_buffer() > 0) {
    return {};
  }
  buffer_.resize(capacity_ + kZeroBytes);
  const auto used = static_cast<std::size_t>(position_ / 8);
  if (used > filled_) {
    return damage("codes end beyond its bytes");
  }
  std::memmove(buffer_.data(), buffer_.data() + used, filled_ - used);
  filled_ -= used;
  position_ %= 8;
  const auto count =
      static_cast<std::size_t>(std::min<std::uint64_t>(capacity_ - filled_, run_.size_bytes - read_));
  const auto bytes = std::span(buffer_).subspan(filled_, count);
  BLOOMERY_RETURN_IF_ERROR(file_->read_exactly_at(run_.offset + read_, bytes));
  crc_ = crc32c(bytes, crc_);
  filled_ += count;
  read_ += count;
  std::fill_n(buffer_.begin() + static_cast<std::ptrdiff_t>(filled_), kZeroBytes, std::byte{0});
  return {};
}

Status RunDecoder::decode_some(std::uint64_t last_unit, std::vector<std::uint64_t>& out) {
  std::array<std::uint64_t, kDecodedMax> decoded;
  const std::uint64_t count = std::min({left_ - 1, codes_in_buffer(), kDecodedMax});
  const std::uint64_t end_unit = run_.last >> (64 - run_.kept_bits);
  std::uint64_t unit = unit_;
  std::uint64_t position = position_;
  std::size_t done = 0;
  for (; done < count && unit <= last_unit; ++done) {
    const Code code = load_code(buffer_.data(), position, run_.rice_bits);
    if (code.value >= end_unit - unit) [[unlikely]] {
      return damage("a gap leads beyond its last hash");
    }
    decoded[done] = unit << (64 - run_.kept_bits);
    unit += code.value + 1;
    position += code.bits;
  }
  unit_ = unit;
  position_ = position;
  left_ -= done;
  out.insert(out.end(), decoded.begin(), decoded.begin() + static_cast<std::ptrdiff_t>(done));
  return {};
}

Status RunDecoder::check_end() const {
  if (unit_ != run_.last >> (64 - run_.kept_bits)) {
    return damage("its last hash is not the one written");
  }
  if (read_ != run_.size_bytes || (position_ + 7) / 8 != filled_) {
    return damage("codes do not end with its bytes");
  }
  if (crc_ != run_.crc) {
    return damage("checksum: expected " + std::to_string(run_.crc) + ", found " + std::to_string(crc_));
  }
  return {};
}

Error RunDecoder::damage(const std::string& detail) const {
  return Error::corruption(file_->path(), run_.offset, "spool run: " + detail);
}

}  // namespace bloomery
