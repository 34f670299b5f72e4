#include "filter/native_header.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include "base/crc32c.h"
#include "base/endian.h"

namespace bloomery {
namespace {

constexpr char kMagic[] = "Bloomery";
constexpr std::size_t kMagicBytes = 8;

// Offsets of the fields. On disk since version 1; new fields take reserved bytes under a new version.
enum Offset : std::size_t {
  kVersionAt = 8,
  kHeaderBytesAt = 12,
  kTypeAt = 16,
  kHashIdAt = 18,
  kKeyFormAt = 20,
  kKeyFlagsAt = 22,
  kKeyPartsAt = 24,
  kStateFlagsAt = 26,
  kHashCountAt = 28,
  kSeedAt = 32,
  kHashKeyIdAt = 40,
  kCapacityAt = 48,
  kTargetFppAt = 56,
  kBitsAt = 64,
  kInsertedAt = 72,
  kPayloadOffsetAt = 80,
  kPayloadBytesAt = 88,
  kMetadataOffsetAt = 96,
  kMetadataBytesAt = 104,
  kPayloadChecksumAt = 112,
  kMetadataChecksumAt = 116,
  kStrideAt = 120,
  kReservedAt = 122,
  kHeaderChecksumAt = 188,
};

constexpr std::uint16_t kFlagTrim = 1;
constexpr std::uint16_t kFlagIgnoreCase = 2;
constexpr std::uint16_t kFlagDirty = 1;

// A field as a message names it: where it stands, what was expected, what was found.
Error bad_field(Offset offset, const char* field, const std::string& expected, std::uint64_t found) {
  return Error::corruption(
      "native header", offset,
      std::string(field) + ": expected " + expected + ", found " + std::to_string(found));
}

Error unknown_field(Offset offset, const char* field, const std::string& expected, std::uint64_t found) {
  return Error::unsupported(
      "native header", offset,
      std::string(field) + ": expected " + expected + ", found " + std::to_string(found));
}

Status check_envelope(std::span<const std::byte> front, std::uint64_t file_bytes) {
  if (front.size() < kMagicBytes || std::memcmp(front.data(), kMagic, kMagicBytes) != 0) {
    return Error::corruption("native header", 0,
                             "expected a Bloomery filter, found a file of " + std::to_string(file_bytes) +
                                 " bytes that does not begin like one");
  }
  if (front.size() < kHeaderBytesAt + 4) {
    return Error::corruption("native header", front.size(), "expected 192 bytes, found the end");
  }
  if (const std::uint32_t version = load_little32(front.data() + kVersionAt);
      version != kNativeFormatVersion) {
    return unknown_field(kVersionAt, "format version", "1", version);
  }
  if (const std::uint32_t bytes = load_little32(front.data() + kHeaderBytesAt); bytes != kNativeHeaderBytes) {
    return bad_field(kHeaderBytesAt, "header bytes", "192", bytes);
  }
  if (front.size() < kNativeHeaderBytes) {
    return Error::corruption("native header", front.size(), "expected 192 bytes, found the end");
  }
  const std::uint32_t stored = load_little32(front.data() + kHeaderChecksumAt);
  const std::uint32_t computed = crc32c(front.first(kHeaderChecksumAt));
  if (stored != computed) {
    return bad_field(kHeaderChecksumAt, "header checksum", std::to_string(computed), stored);
  }
  return {};
}

// Fields whose numbers this version must know, or it could give a wrong answer.
Status check_numbers(const std::byte* bytes) {
  const std::uint16_t type = load_little16(bytes + kTypeAt);
  const bool bloom = type == static_cast<std::uint16_t>(FilterType::kBloom);
  const bool blocked = type == static_cast<std::uint16_t>(FilterType::kBlocked);
  if (!bloom && !blocked) {
    return unknown_field(kTypeAt, "filter type", "1 (bloom) or 2 (blocked)", type);
  }
  const std::uint16_t stride = load_little16(bytes + kStrideAt);
  if (blocked ? stride != 8 && stride != 64 : stride != 0) {
    return unknown_field(kStrideAt, "stride", blocked ? "8 or 64" : "0 for this type", stride);
  }
  if (const std::uint16_t id = load_little16(bytes + kHashIdAt);
      id > static_cast<std::uint16_t>(HashId::kXxh3)) {
    return unknown_field(kHashIdAt, "hash id", "0 (ready digest) or 1 (xxh3-128)", id);
  }
  if (const std::uint64_t key_id = load_little64(bytes + kHashKeyIdAt); key_id != 0) {
    return unknown_field(kHashKeyIdAt, "hash key id", "0 for a hash without a key", key_id);
  }
  if (const std::uint16_t form = load_little16(bytes + kKeyFormAt);
      form > static_cast<std::uint16_t>(KeyForm::kUtf16)) {
    return unknown_field(kKeyFormAt, "key form", "0 to 4", form);
  }
  if (const std::uint16_t flags = load_little16(bytes + kKeyFlagsAt); flags > (kFlagTrim | kFlagIgnoreCase)) {
    return unknown_field(kKeyFlagsAt, "key flags", "0 to 3", flags);
  }
  if (load_little16(bytes + kKeyPartsAt) == 0) {
    return bad_field(kKeyPartsAt, "key parts", "at least 1", 0);
  }
  if (const std::uint16_t flags = load_little16(bytes + kStateFlagsAt); flags > kFlagDirty) {
    return unknown_field(kStateFlagsAt, "state flags", "0 or 1", flags);
  }
  const std::byte* const reserved_end = bytes + kHeaderChecksumAt;
  const std::byte* const set =
      std::find_if(bytes + kReservedAt, reserved_end, [](std::byte b) { return b != std::byte{0}; });
  if (set != reserved_end) {
    return Error::unsupported("native header", static_cast<std::uint64_t>(set - bytes),
                              "reserved: expected 0, found " + std::to_string(std::to_integer<int>(*set)));
  }
  return {};
}

Status check_extent(const NativeHeader& header, const std::byte* bytes, std::uint64_t file_bytes) {
  if (const std::uint64_t offset = load_little64(bytes + kPayloadOffsetAt);
      offset != header.payload_offset()) {
    return bad_field(kPayloadOffsetAt, "payload offset", std::to_string(header.payload_offset()), offset);
  }
  const std::uint64_t behind_header = file_bytes - kNativeHeaderBytes;
  if (header.payload_bytes > behind_header) {
    return bad_field(kPayloadBytesAt, "payload bytes",
                     "at most " + std::to_string(behind_header) + " (what the file has)",
                     header.payload_bytes);
  }
  if (const std::uint64_t offset = load_little64(bytes + kMetadataOffsetAt);
      offset != header.metadata_offset()) {
    return bad_field(kMetadataOffsetAt, "metadata offset", std::to_string(header.metadata_offset()), offset);
  }
  if (const std::uint64_t left = behind_header - header.payload_bytes; header.metadata_bytes != left) {
    return bad_field(kMetadataBytesAt, "metadata bytes", std::to_string(left) + " (what the file has)",
                     header.metadata_bytes);
  }
  if (header.metadata_bytes > kMaxMetadataBytes) {
    return bad_field(kMetadataBytesAt, "metadata bytes", "at most " + std::to_string(kMaxMetadataBytes),
                     header.metadata_bytes);
  }
  if (!(header.target_fpp > 0 && header.target_fpp <= 1)) {
    return bad_field(kTargetFppAt, "target fpp", "more than 0 and at most 1, as IEEE 754 bits",
                     std::bit_cast<std::uint64_t>(header.target_fpp));
  }
  return {};
}

}  // namespace

const char* filter_type_name(FilterType type) {
  switch (type) {
    case FilterType::kBloom:
      return "bloom";
    case FilterType::kBlocked:
      return "blocked";
  }
  return "unknown";
}

std::array<std::byte, kNativeHeaderBytes> encode(const NativeHeader& header) {
  std::array<std::byte, kNativeHeaderBytes> bytes{};
  const auto put = [&bytes](Offset offset, auto value) { store_little(bytes.data() + offset, value); };
  std::memcpy(bytes.data(), kMagic, kMagicBytes);
  put(kVersionAt, kNativeFormatVersion);
  put(kHeaderBytesAt, static_cast<std::uint32_t>(kNativeHeaderBytes));
  put(kTypeAt, static_cast<std::uint16_t>(header.type));
  put(kHashIdAt, static_cast<std::uint16_t>(header.hash.id));
  put(kKeyFormAt, static_cast<std::uint16_t>(header.keys.form));
  put(kKeyFlagsAt, static_cast<std::uint16_t>((header.keys.trim ? kFlagTrim : 0) |
                                              (header.keys.ignore_case ? kFlagIgnoreCase : 0)));
  put(kKeyPartsAt, header.keys.parts);
  put(kStateFlagsAt, static_cast<std::uint16_t>(header.dirty ? kFlagDirty : 0));
  put(kHashCountAt, header.hash_count);
  put(kSeedAt, header.hash.seed);
  put(kCapacityAt, header.capacity);
  put(kTargetFppAt, std::bit_cast<std::uint64_t>(header.target_fpp));
  put(kBitsAt, header.bits);
  put(kInsertedAt, header.inserted);
  put(kPayloadOffsetAt, header.payload_offset());
  put(kPayloadBytesAt, header.payload_bytes);
  put(kMetadataOffsetAt, header.metadata_offset());
  put(kMetadataBytesAt, header.metadata_bytes);
  put(kPayloadChecksumAt, header.payload_checksum);
  put(kMetadataChecksumAt, header.metadata_checksum);
  put(kStrideAt, header.stride_bytes);
  put(kHeaderChecksumAt, crc32c(std::span(bytes).first(kHeaderChecksumAt)));
  return bytes;
}

Result<NativeHeader> parse_native_header(std::span<const std::byte> front, std::uint64_t file_bytes) {
  BLOOMERY_RETURN_IF_ERROR(check_envelope(front, file_bytes));
  const std::byte* const bytes = front.data();
  BLOOMERY_RETURN_IF_ERROR(check_numbers(bytes));
  const std::uint16_t key_flags = load_little16(bytes + kKeyFlagsAt);
  const NativeHeader header{
      .type = static_cast<FilterType>(load_little16(bytes + kTypeAt)),
      .hash = {.id = static_cast<HashId>(load_little16(bytes + kHashIdAt)),
               .seed = load_little64(bytes + kSeedAt)},
      .keys = {.form = static_cast<KeyForm>(load_little16(bytes + kKeyFormAt)),
               .trim = (key_flags & kFlagTrim) != 0,
               .ignore_case = (key_flags & kFlagIgnoreCase) != 0,
               .parts = load_little16(bytes + kKeyPartsAt)},
      .dirty = load_little16(bytes + kStateFlagsAt) == kFlagDirty,
      .hash_count = load_little32(bytes + kHashCountAt),
      .capacity = load_little64(bytes + kCapacityAt),
      .target_fpp = std::bit_cast<double>(load_little64(bytes + kTargetFppAt)),
      .bits = load_little64(bytes + kBitsAt),
      .inserted = load_little64(bytes + kInsertedAt),
      .stride_bytes = load_little16(bytes + kStrideAt),
      .payload_bytes = load_little64(bytes + kPayloadBytesAt),
      .metadata_bytes = load_little64(bytes + kMetadataBytesAt),
      .payload_checksum = load_little32(bytes + kPayloadChecksumAt),
      .metadata_checksum = load_little32(bytes + kMetadataChecksumAt),
  };
  BLOOMERY_RETURN_IF_ERROR(check_extent(header, bytes, file_bytes));
  return header;
}

}  // namespace bloomery
