#include "codec/dcso/dcso_header.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <string>

#include "base/endian.h"
#include "bloomery/filter/sizing.h"

namespace bloomery {
namespace {

// DCSO rounds up while the number is still negative, which rounds its magnitude down.
double computed_bits(std::uint64_t capacity, double fpp) {
  return std::fabs(
      std::ceil(static_cast<double>(capacity) * std::log(fpp) / std::pow(std::numbers::ln2, 2.0)));
}

double computed_dcso_hash_count(double bits, std::uint64_t capacity) {
  return std::ceil(std::numbers::ln2 * bits / static_cast<double>(capacity));
}

}  // namespace

bool DcsoHeader::has_computed_sizes() const {
  if (!check_fpp(fpp) || capacity == 0) {
    return false;
  }
  const double computed = computed_bits(capacity, fpp);
  return static_cast<double>(bits) == computed &&
         static_cast<double>(hash_count) == computed_dcso_hash_count(computed, capacity);
}

std::string DcsoHeader::contradiction() const {
  if (!check_fpp(fpp) || capacity == 0) {
    return "n and p: expected a capacity and an fpp in (0, 1), found n = " + std::to_string(capacity) +
           " and p = " + std::to_string(fpp);
  }
  const double computed = computed_bits(capacity, fpp);
  const double k = computed_dcso_hash_count(computed, capacity);
  const bool agrees = std::fabs(static_cast<double>(bits) - computed) <= std::max(1.0, computed * 1e-12) &&
                      std::fabs(static_cast<double>(hash_count) - k) <= 1;
  if (agrees) {
    return {};
  }
  std::array<char, 160> text;
  std::snprintf(text.data(), text.size(),
                "m and k: expected m = %.0f and k = %.0f, as n = %llu and p = %g give, found ", computed, k,
                static_cast<unsigned long long>(capacity), fpp);
  return text.data() + std::string("m = ") + std::to_string(bits) + " and k = " + std::to_string(hash_count);
}

Result<DcsoHeader> dcso_header_for(std::uint64_t capacity, double fpp) {
  BLOOMERY_RETURN_IF_ERROR(check_fpp(fpp));
  const double bits = computed_bits(capacity, fpp);
  if (!(bits >= 1 && bits <= static_cast<double>(kMaxBloomBits))) {
    return Error::invalid_argument(
        "dcso", "capacity and fpp: expected 1 to 2^56 bits, found " + std::to_string(bits));
  }
  return DcsoHeader{.flags = 1,
                    .capacity = capacity,
                    .fpp = fpp,
                    .hash_count = static_cast<std::uint64_t>(computed_dcso_hash_count(bits, capacity)),
                    .bits = static_cast<std::uint64_t>(bits),
                    .inserted = 0};
}

Result<DcsoHeader> parse_dcso_header(std::span<const std::byte, DcsoHeader::kBytes> bytes) {
  const std::byte* const at = bytes.data();
  const DcsoHeader header{.flags = load_little64(at),
                          .capacity = load_little64(at + 8),
                          .fpp = std::bit_cast<double>(load_little64(at + 16)),
                          .hash_count = load_little64(at + 24),
                          .bits = load_little64(at + 32),
                          .inserted = load_little64(at + 40)};
  if ((header.flags & 0xff) != 1) {
    return Error::unsupported("dcso header", 0,
                              "version: expected 1, found " + std::to_string(header.flags & 0xff));
  }
  if (header.hash_count == 0 || header.hash_count > kDcsoMaxHashCount) {
    return Error::corrupt_field("dcso header", 24, "k", "1 to 4096", header.hash_count);
  }
  if (header.bits == 0) {
    return Error::corrupt_field("dcso header", 32, "m", "at least 1 bit", "0");
  }
  return header;
}

std::array<std::byte, DcsoHeader::kBytes> dcso_header_bytes(const DcsoHeader& header) {
  std::array<std::byte, DcsoHeader::kBytes> bytes;
  store_little(bytes.data(), header.flags);
  store_little(bytes.data() + 8, header.capacity);
  store_little(bytes.data() + 16, std::bit_cast<std::uint64_t>(header.fpp));
  store_little(bytes.data() + 24, header.hash_count);
  store_little(bytes.data() + 32, header.bits);
  store_little(bytes.data() + 40, header.inserted);
  return bytes;
}

}  // namespace bloomery
