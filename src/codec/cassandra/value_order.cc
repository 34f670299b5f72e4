#include "codec/cassandra/value_order.h"

#include <bit>
#include <cstdint>
#include <utility>

#include "base/endian.h"

namespace bloomery {
namespace {

std::uint64_t big64_at(std::string_view bytes, std::size_t at) {
  return load_big64(reinterpret_cast<const std::byte*>(bytes.data()) + at);
}

// Compares two's complement numbers, highest byte first, of at least one byte.
bool is_smaller_integer(std::string_view a, std::string_view b) {
  const auto negative = [](std::string_view bytes) {
    return (static_cast<unsigned char>(bytes.front()) & 0x80) != 0;
  };
  if (negative(a) != negative(b)) {
    return negative(a);
  }
  if (a.size() != b.size()) {  // shortest forms, so the longer one is farther from zero
    return (a.size() < b.size()) != negative(a);
  }
  return a < b;
}

// Returns the bits of a float or double such that comparing them as unsigned numbers orders the values.
std::uint64_t ordered_bits(std::string_view bytes) {
  std::uint64_t bits = 0;
  for (const char byte : bytes) {
    bits = bits << 8 | static_cast<unsigned char>(byte);
  }
  bits <<= 64 - 8 * bytes.size();
  const std::uint64_t sign = std::uint64_t{1} << 63;
  return (bits & sign) != 0 ? ~bits : bits | sign;
}

// Returns the version and the 60-bit time of a version 1 UUID, highest bits first.
std::uint64_t time_of(std::string_view uuid) {
  const std::uint64_t half = big64_at(uuid, 0);
  return half << 48 | ((half << 16) & 0xffff00000000) | half >> 32;
}

bool is_before_uuid(std::string_view a, std::string_view b) {
  const auto version = [](std::string_view uuid) { return static_cast<unsigned char>(uuid[6]) >> 4; };
  if (version(a) != version(b)) {
    return version(a) < version(b);
  }
  if (version(a) == 1 && time_of(a) != time_of(b)) {
    return time_of(a) < time_of(b);
  }
  return a < b;
}

bool is_before_timeuuid(std::string_view a, std::string_view b) {
  // With these bits flipped, a comparison of signed 64-bit numbers orders by signed bytes.
  const auto rest = [](std::string_view uuid) {
    return static_cast<std::int64_t>(big64_at(uuid, 8) ^ 0x0080808080808080);
  };
  return std::pair(time_of(a), rest(a)) < std::pair(time_of(b), rest(b));
}

}  // namespace

bool has_order(CassandraKind kind) {
  return kind < CassandraKind::kList && kind != CassandraKind::kDecimal;
}

bool is_before(CassandraKind kind, std::string_view a, std::string_view b) {
  switch (kind) {
    case CassandraKind::kBigint:
    case CassandraKind::kInt:
    case CassandraKind::kSmallint:
    case CassandraKind::kTinyint:
    case CassandraKind::kTimestamp:
    case CassandraKind::kVarint:
      return is_smaller_integer(a, b);
    case CassandraKind::kFloat:
    case CassandraKind::kDouble:
      return ordered_bits(a) < ordered_bits(b);
    case CassandraKind::kUuid:
      return is_before_uuid(a, b);
    case CassandraKind::kTimeuuid:
      return is_before_timeuuid(a, b);
    default:
      return a < b;
  }
}

}  // namespace bloomery
