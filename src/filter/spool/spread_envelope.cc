#include "filter/spool/spread_envelope.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/crc32c.h"
#include "base/endian.h"
#include "base/spread_magic.h"
#include "bloomery/base/uint128.h"

namespace bloomery {
namespace {

// On disk since version 1; never renumber.
constexpr std::uint32_t kSpreadVersion = 1;
constexpr std::size_t kSpreadVersionAt = 8;
constexpr std::size_t kEnvelopeBytesAt = 12;
constexpr std::size_t kIndexAt = 16;
constexpr std::size_t kRangeCountAt = 20;
constexpr std::size_t kHashesAt = 24;
constexpr std::size_t kBlockBytesAt = 32;
constexpr std::size_t kIdLowAt = 40;
constexpr std::size_t kIdHighAt = 48;
constexpr std::size_t kEnvelopeReservedAt = 56;
constexpr std::size_t kEnvelopeChecksumAt = 60;

constexpr std::string_view magic_of(SpreadKind kind) {
  return kind == SpreadKind::kPart ? kPartMagic : kRangeFileMagic;
}

bool begins_with(std::span<const std::byte> bytes, std::string_view magic) {
  return bytes.size() >= magic.size() && std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
}

Error bad_field(std::size_t offset, const std::string& field, const std::string& expected,
                std::uint64_t found) {
  return Error::corruption("spread envelope", offset,
                           field + ": expected " + expected + ", found " + std::to_string(found));
}

Status check_kind(std::span<const std::byte> bytes, SpreadKind kind, const std::string& name) {
  if (begins_with(bytes, magic_of(kind))) {
    return {};
  }
  const std::string wanted(kind == SpreadKind::kPart ? kPartName : kRangeFileName);
  const std::string other(spread_file_kind(bytes));
  return Error::invalid_argument(
      name, "expected " + wanted + ", found " + (other.empty() ? "another file" : other));
}

Status check_spread_envelope(std::span<const std::byte> bytes) {
  if (bytes.size() < kSpreadFrontBytes) {
    return Error::corruption("spread envelope", bytes.size(),
                             "expected " + std::to_string(kSpreadFrontBytes) + " bytes, found the end");
  }
  if (const std::uint32_t version = load_little32(bytes.data() + kSpreadVersionAt);
      version != kSpreadVersion) {
    return Error::unsupported("spread envelope", kSpreadVersionAt,
                              "version: expected 1, found " + std::to_string(version));
  }
  const std::uint32_t stored = load_little32(bytes.data() + kEnvelopeChecksumAt);
  if (const std::uint32_t computed = crc32c(bytes.first(kEnvelopeChecksumAt)); stored != computed) {
    return bad_field(kEnvelopeChecksumAt, "checksum", std::to_string(computed), stored);
  }
  if (const std::uint32_t size = load_little32(bytes.data() + kEnvelopeBytesAt);
      size != kSpreadEnvelopeBytes) {
    return bad_field(kEnvelopeBytesAt, "envelope bytes", "64", size);
  }
  if (const std::uint32_t reserved = load_little32(bytes.data() + kEnvelopeReservedAt); reserved != 0) {
    return Error::unsupported("spread envelope", kEnvelopeReservedAt,
                              "reserved: expected 0, found " + std::to_string(reserved));
  }
  return {};
}

Status check_spread_numbers(const SpreadEnvelope& envelope, std::uint64_t file_bytes) {
  if (envelope.count == 0 || envelope.count > kMaxRanges) {
    return bad_field(kRangeCountAt, "ranges", "1 to " + std::to_string(kMaxRanges), envelope.count);
  }
  if (envelope.index == 0 || envelope.index > envelope.count) {
    return bad_field(kIndexAt, "range", "1 to " + std::to_string(envelope.count), envelope.index);
  }
  if (const std::uint64_t most = file_bytes - kSpreadFrontBytes; envelope.block_bytes > most) {
    return bad_field(kBlockBytesAt, "block bytes", "at most " + std::to_string(most) + " (what the file has)",
                     envelope.block_bytes);
  }
  return {};
}

}  // namespace

HashRange range_of_hashes(std::uint32_t index, std::uint32_t count) {
  // The least h with h * count / 2^64 >= edge.
  const auto from = [count](std::uint64_t edge) {
    return static_cast<std::uint64_t>(((Uint128{edge} << 64) + count - 1) / count);
  };
  return {.lowest = from(index - 1), .highest = index == count ? ~std::uint64_t{0} : from(index) - 1};
}

std::string_view spread_file_kind(std::span<const std::byte> front) {
  return begins_with(front, kRangeFileMagic) ? kRangeFileName
         : begins_with(front, kPartMagic)    ? kPartName
                                             : std::string_view();
}

std::string_view spread_file_kind(FileSystem& files, const std::string& path) {
  // A pipe is not opened, because closing it again would terminate its writer.
  if (const Result<FileFacts> named = files.facts(path); !named || !named->is_regular) {
    return {};
  }
  std::array<std::byte, kRangeFileMagic.size()> front;
  Result<File> file = files.open(path, OpenFor::kReading);
  return file && file->read_exactly_at(0, front) ? spread_file_kind(front) : std::string_view();
}

std::array<std::byte, kSpreadFrontBytes> encode(const SpreadFront& front) {
  std::array<std::byte, kSpreadFrontBytes> bytes{};
  const auto put = [&bytes](std::size_t offset, auto value) { store_little(bytes.data() + offset, value); };
  const SpreadEnvelope& envelope = front.envelope;
  const std::string_view magic = magic_of(envelope.kind);
  std::memcpy(bytes.data(), magic.data(), magic.size());
  put(kSpreadVersionAt, kSpreadVersion);
  put(kEnvelopeBytesAt, static_cast<std::uint32_t>(kSpreadEnvelopeBytes));
  put(kIndexAt, envelope.index);
  put(kRangeCountAt, envelope.count);
  put(kHashesAt, envelope.hashes);
  put(kBlockBytesAt, envelope.block_bytes);
  put(kIdLowAt, envelope.id.low);
  put(kIdHighAt, envelope.id.high);
  put(kEnvelopeChecksumAt, crc32c(std::span(bytes).first(kEnvelopeChecksumAt)));
  std::ranges::copy(encode(front.native), bytes.begin() + kSpreadEnvelopeBytes);
  return bytes;
}

Result<SpreadFront> parse_spread_front(std::span<const std::byte> bytes, std::uint64_t file_bytes,
                                       SpreadKind kind, const std::string& name) {
  BLOOMERY_RETURN_IF_ERROR(check_kind(bytes, kind, name));
  BLOOMERY_RETURN_IF_ERROR(check_spread_envelope(bytes));
  const std::byte* const from = bytes.data();
  SpreadFront front;
  front.envelope = {.kind = kind,
                    .index = load_little32(from + kIndexAt),
                    .count = load_little32(from + kRangeCountAt),
                    .hashes = load_little64(from + kHashesAt),
                    .block_bytes = load_little64(from + kBlockBytesAt),
                    .id = {.low = load_little64(from + kIdLowAt), .high = load_little64(from + kIdHighAt)}};
  BLOOMERY_RETURN_IF_ERROR(check_spread_numbers(front.envelope, file_bytes));
  BLOOMERY_ASSIGN_OR_RETURN(
      front.native, parse_native_header(bytes.subspan(kSpreadEnvelopeBytes, kNativeHeaderBytes),
                                        file_bytes - kSpreadEnvelopeBytes - front.envelope.block_bytes));
  // A range file serves every type, and records the first that there was.
  const FilterType type = front.native.type;
  if (!(kind == SpreadKind::kPart ? is_static_type(type) : type == FilterType::kRibbon) ||
      front.native.dirty || front.native.column_bytes + front.native.exception_bytes != 0) {
    return Error::corruption("spread envelope", kSpreadEnvelopeBytes,
                             "expected the header of a static filter without exceptions, found another");
  }
  return front;
}

Result<SpreadFront> read_spread_front(FileSystem& files, File& file, SpreadKind kind) {
  BLOOMERY_ASSIGN_OR_RETURN(const FileFacts facts, files.facts(file));
  std::vector<std::byte> bytes(std::min<std::uint64_t>(facts.size_bytes, kSpreadFrontBytes));
  BLOOMERY_RETURN_IF_ERROR(file.read_exactly_at(0, bytes));
  return in_file(parse_spread_front(bytes, facts.size_bytes, kind, file.path()), file.path());
}

}  // namespace bloomery
