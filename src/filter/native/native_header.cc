#include "filter/native/native_header.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <utility>

#include "base/crc32c.h"
#include "base/endian.h"
#include "base/spread_magic.h"

namespace bloomery {
namespace {

using namespace native_header;

constexpr std::uint16_t kFlagTrim = 1;
constexpr std::uint16_t kFlagIgnoreCase = 2;
constexpr std::uint16_t kFlagSortQuery = 4;     // for canonical URLs only
constexpr std::uint16_t kFlagDropTracking = 8;  // for canonical URLs only: list 1 of tracking parameters
constexpr std::uint16_t kFlagDirty = 1;

Status check_native_envelope(std::span<const std::byte> front, std::uint64_t file_bytes) {
  if (front.size() < kNativeMagic.size() ||
      std::memcmp(front.data(), kNativeMagic.data(), kNativeMagic.size()) != 0) {
    const std::string_view begin(reinterpret_cast<const char*>(front.data()), front.size());
    if (const std::string_view hint = spread_file_hint(begin); !hint.empty()) {
      return Error::invalid_argument("native header", "expected a filter, found " + std::string(hint));
    }
    return Error::corruption("native header", 0,
                             "expected a Bloomery filter, found a file of " + std::to_string(file_bytes) +
                                 " bytes that does not begin like one");
  }
  if (front.size() < kHeaderBytesAt + 4) {
    return Error::corruption("native header", front.size(), "expected 192 bytes, found the end");
  }
  if (const std::uint32_t version = load_little32(front.data() + kVersionAt);
      version != kNativeFormatVersion) {
    return unknown_header_field(kVersionAt, "format version", "1", version);
  }
  if (const std::uint32_t bytes = load_little32(front.data() + kHeaderBytesAt); bytes != kNativeHeaderBytes) {
    return bad_header_field(kHeaderBytesAt, "header bytes", "192", bytes);
  }
  if (front.size() < kNativeHeaderBytes) {
    return Error::corruption("native header", front.size(), "expected 192 bytes, found the end");
  }
  const std::uint32_t stored = load_little32(front.data() + kHeaderChecksumAt);
  const std::uint32_t computed = crc32c(front.first(kHeaderChecksumAt));
  if (stored != computed) {
    return bad_header_field(kHeaderChecksumAt, "header checksum", std::to_string(computed), stored);
  }
  return {};
}

Status check_header_zeros(const std::byte* bytes, std::size_t begin, std::size_t end) {
  const std::byte* const set =
      std::find_if(bytes + begin, bytes + end, [](std::byte b) { return b != std::byte{0}; });
  if (set != bytes + end) {
    return Error::unsupported("native header", static_cast<std::uint64_t>(set - bytes),
                              "reserved: expected 0, found " + std::to_string(std::to_integer<int>(*set)));
  }
  return {};
}

// Checks the fields whose values this version must know to answer correctly.
Status check_native_numbers(const std::byte* bytes) {
  const std::uint16_t type = load_little16(bytes + kTypeAt);
  if (filter_type_of(type) == std::nullopt) {
    return unknown_header_field(
        kTypeAt, "filter type",
        "1 (bloom), 2 (blocked), 3 (ribbon), 4 (counting), 5 (quotient), 6 (scalable), 7 "
        "(windowed), 8 (exact) or 9 (fuse)",
        type);
  }
  const bool sharded = is_static_type(static_cast<FilterType>(type));
  const bool has_stride = type == static_cast<std::uint16_t>(FilterType::kBlocked) ||
                          type == static_cast<std::uint16_t>(FilterType::kScalable) ||
                          type == static_cast<std::uint16_t>(FilterType::kWindowed) ||
                          type == static_cast<std::uint16_t>(FilterType::kFuse);
  const std::uint16_t stride = load_little16(bytes + kStrideAt);
  if (has_stride ? stride != 8 && stride != 64 : stride != 0) {
    return unknown_header_field(kStrideAt, "stride", has_stride ? "8 or 64" : "0 for this type", stride);
  }
  if (const std::uint16_t id = load_little16(bytes + kHashIdAt);
      id > static_cast<std::uint16_t>(HashId::kMix8Xxh3)) {
    return unknown_header_field(
        kHashIdAt, "hash id", "0 (ready digest), 1 (xxh3-128), 2 (siphash-2-4-128) or 3 (mix8-xxh3-128)", id);
  }
  const bool keyed = load_little16(bytes + kHashIdAt) == static_cast<std::uint16_t>(HashId::kSipHash);
  if (const std::uint64_t key_id = load_little64(bytes + kHashKeyIdAt); (key_id != 0) != keyed) {
    return unknown_header_field(kHashKeyIdAt, "hash key id", keyed ? "one" : "0 for a hash without a key",
                                key_id);
  }
  if (const std::uint64_t seed = load_little64(bytes + kSeedAt); keyed && seed != 0) {
    return unknown_header_field(kSeedAt, "hash seed", "0 for a hash with a key", seed);
  }
  if (const std::uint16_t form = load_little16(bytes + kKeyFormAt);
      form > static_cast<std::uint16_t>(kLastKeyForm)) {
    return unknown_header_field(kKeyFormAt, "key form", "0 to 9", form);
  }
  const auto form = static_cast<KeyForm>(load_little16(bytes + kKeyFormAt));
  const bool urls = form == KeyForm::kUrl;
  if (const std::uint16_t flags = load_little16(bytes + kKeyFlagsAt); flags > (urls ? 15 : 3)) {
    return unknown_header_field(kKeyFlagsAt, "key flags",
                                urls ? "0 to 15" : "0 to 3 for keys that are no URLs", flags);
  }
  if (load_little16(bytes + kKeyPartsAt) == 0) {
    return bad_header_field(kKeyPartsAt, "key parts", "at least 1", 0);
  }
  if (const std::uint16_t parts = load_little16(bytes + kKeyPartsAt); is_block_list(form) && parts != 1) {
    return unknown_header_field(kKeyPartsAt, "key parts", "1 for keys of block lists", parts);
  }
  if (const std::uint16_t flags = load_little16(bytes + kStateFlagsAt); flags > kFlagDirty) {
    return unknown_header_field(kStateFlagsAt, "state flags", "0 or 1", flags);
  }
  // Digests of one width are keys of the form hex and of one part. For other keys the field is reserved.
  const bool may_have_width = form == KeyForm::kHex && load_little16(bytes + kKeyPartsAt) == 1;
  if (const std::uint16_t width = load_little16(bytes + kDigestBytesAt);
      may_have_width && width != 0 && !is_digest_width(width)) {
    return unknown_header_field(kDigestBytesAt, "digest bytes", "0, 16, 20, 28, 32, 48 or 64", width);
  }
  BLOOMERY_RETURN_IF_ERROR(
      check_header_zeros(bytes, may_have_width ? kReservedAt : kDigestBytesAt, kHeaderChecksumAt));
  // Only static filters have shards. Byte 123 belongs to no field.
  return sharded ? check_header_zeros(bytes, kHashBitsAt + 1, kShardsAt)
                 : check_header_zeros(bytes, kHashBitsAt, kExceptionBytesAt);
}

Status check_exceptions(const NativeHeader& header) {
  if (header.column_bytes + header.exception_bytes != 0 && header.payload_bytes % 8 != 0) {
    return bad_header_field(kPayloadBytesAt, "payload bytes", "a multiple of 8 before exceptions",
                            header.payload_bytes);
  }
  if (header.column_bytes % 8 != 0) {
    return bad_header_field(kColumnBytesAt, "exception column bytes", "a multiple of 8", header.column_bytes);
  }
  if (header.exception_bytes % sizeof(Hash128) != 0) {
    return bad_header_field(kExceptionBytesAt, "exception table bytes", "a multiple of 16",
                            header.exception_bytes);
  }
  if (const std::uint64_t most = header.exception_bytes / sizeof(Hash128); header.exceptions > most) {
    return bad_header_field(kExceptionsAt, "exceptions", "at most " + std::to_string(most),
                            header.exceptions);
  }
  return {};
}

Status check_extent(const NativeHeader& header, const std::byte* bytes, std::uint64_t file_bytes) {
  if (const std::uint64_t offset = load_little64(bytes + kPayloadOffsetAt);
      offset != header.payload_offset()) {
    return bad_header_field(kPayloadOffsetAt, "payload offset", std::to_string(header.payload_offset()),
                            offset);
  }
  std::uint64_t left = file_bytes - kNativeHeaderBytes;
  const auto take = [&left](std::uint64_t at, const char* field, std::uint64_t size) -> Status {
    if (size > left) {
      return bad_header_field(at, field, "at most " + std::to_string(left) + " (what the file has)", size);
    }
    left -= size;
    return {};
  };
  BLOOMERY_RETURN_IF_ERROR(take(kPayloadBytesAt, "payload bytes", header.payload_bytes));
  BLOOMERY_RETURN_IF_ERROR(take(kColumnBytesAt, "exception column bytes", header.column_bytes));
  BLOOMERY_RETURN_IF_ERROR(take(kExceptionBytesAt, "exception table bytes", header.exception_bytes));
  BLOOMERY_RETURN_IF_ERROR(check_exceptions(header));
  if (const std::uint64_t offset = load_little64(bytes + kMetadataOffsetAt);
      offset != header.metadata_offset()) {
    return bad_header_field(kMetadataOffsetAt, "metadata offset", std::to_string(header.metadata_offset()),
                            offset);
  }
  if (header.metadata_bytes != left) {
    return bad_header_field(kMetadataBytesAt, "metadata bytes", std::to_string(left) + " (what the file has)",
                            header.metadata_bytes);
  }
  if (header.metadata_bytes > kMaxMetadataBytes) {
    return bad_header_field(kMetadataBytesAt, "metadata bytes",
                            "at most " + std::to_string(kMaxMetadataBytes), header.metadata_bytes);
  }
  if (!(header.target_fpp > 0 && header.target_fpp <= 1)) {
    return bad_header_field(kTargetFppAt, "target fpp", "more than 0 and at most 1, as IEEE 754 bits",
                            std::bit_cast<std::uint64_t>(header.target_fpp));
  }
  return {};
}

// For key forms other than URLs, the flags of URL options are 0, since a reader refuses them there.
std::uint16_t key_flags_of(const KeyTreatment& keys) {
  const bool urls = keys.form == KeyForm::kUrl;
  return static_cast<std::uint16_t>((keys.trim ? kFlagTrim : 0) | (keys.ignore_case ? kFlagIgnoreCase : 0) |
                                    (urls && keys.url.sort_query ? kFlagSortQuery : 0) |
                                    (urls && keys.url.drop_tracking ? kFlagDropTracking : 0));
}

}  // namespace

std::string show_key_id(std::uint64_t id) {
  std::string digits(16, '0');
  for (std::size_t i = digits.size(); i-- > 0; id >>= 4) {
    digits[i] = "0123456789abcdef"[id & 15];
  }
  return digits;
}

Error bad_header_field(std::uint64_t offset, const std::string& field, const std::string& expected,
                       std::uint64_t found) {
  return Error::corruption("native header", offset,
                           field + ": expected " + expected + ", found " + std::to_string(found));
}

Error bad_payload(std::uint64_t payload_offset, std::string detail) {
  return Error::corruption("payload", kNativeHeaderBytes + payload_offset, std::move(detail));
}

Error bad_header_shape(const Error& shape) {
  const std::uint64_t offset = shape.subject() == "hash count" ? kHashCountAt
                               : shape.subject() == "stride"   ? kStrideAt
                                                               : kBitsAt;
  return Error::corruption("native header", offset, shape.subject() + ": " + shape.detail());
}

Error unknown_header_field(std::uint64_t offset, const std::string& field, const std::string& expected,
                           std::uint64_t found) {
  return Error::unsupported("native header", offset,
                            field + ": expected " + expected + ", found " + std::to_string(found));
}

std::array<std::byte, kNativeHeaderBytes> encode(const NativeHeader& header) {
  std::array<std::byte, kNativeHeaderBytes> bytes{};
  const auto put = [&bytes](std::size_t offset, auto value) { store_little(bytes.data() + offset, value); };
  std::memcpy(bytes.data(), kNativeMagic.data(), kNativeMagic.size());
  put(kVersionAt, kNativeFormatVersion);
  put(kHeaderBytesAt, static_cast<std::uint32_t>(kNativeHeaderBytes));
  put(kTypeAt, static_cast<std::uint16_t>(header.type));
  put(kHashIdAt, static_cast<std::uint16_t>(header.hash.id));
  put(kKeyFormAt, static_cast<std::uint16_t>(header.keys.form));
  put(kKeyFlagsAt, key_flags_of(header.keys));
  put(kKeyPartsAt, header.keys.parts);
  put(kStateFlagsAt, static_cast<std::uint16_t>(header.dirty ? kFlagDirty : 0));
  put(kHashCountAt, header.hash_count);
  put(kSeedAt, header.hash.seed);
  put(kHashKeyIdAt, header.hash_key_id);
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
  put(kHashBitsAt, header.hash_bits);
  put(kShardsAt, header.shards);
  put(kFirstShardAt, header.first_shard);
  put(kHeldShardsAt, header.held_shards);
  std::ranges::copy(header.sole_entry, bytes.begin() + kSoleEntryAt);
  put(kColumnBytesAt, header.column_bytes);
  put(kExceptionBytesAt, header.exception_bytes);
  put(kExceptionsAt, header.exceptions);
  put(kExceptionChecksumAt, header.exception_checksum);
  put(kDigestBytesAt, header.keys.digest_bytes);
  put(kHeaderChecksumAt, crc32c(std::span(bytes).first(kHeaderChecksumAt)));
  return bytes;
}

Result<NativeHeader> parse_native_header(std::span<const std::byte> front, std::uint64_t file_bytes) {
  BLOOMERY_RETURN_IF_ERROR(check_native_envelope(front, file_bytes));
  const std::byte* const bytes = front.data();
  BLOOMERY_RETURN_IF_ERROR(check_native_numbers(bytes));
  const std::uint16_t key_flags = load_little16(bytes + kKeyFlagsAt);
  NativeHeader header{
      .type = static_cast<FilterType>(load_little16(bytes + kTypeAt)),
      .hash = {.id = static_cast<HashId>(load_little16(bytes + kHashIdAt)),
               .seed = load_little64(bytes + kSeedAt)},
      .hash_key_id = load_little64(bytes + kHashKeyIdAt),
      .keys = {.form = static_cast<KeyForm>(load_little16(bytes + kKeyFormAt)),
               .trim = (key_flags & kFlagTrim) != 0,
               .ignore_case = (key_flags & kFlagIgnoreCase) != 0,
               .parts = load_little16(bytes + kKeyPartsAt),
               .url = {.sort_query = (key_flags & kFlagSortQuery) != 0,
                       .drop_tracking = (key_flags & kFlagDropTracking) != 0},
               .digest_bytes = load_little16(bytes + kDigestBytesAt)},
      .dirty = load_little16(bytes + kStateFlagsAt) == kFlagDirty,
      .hash_count = load_little32(bytes + kHashCountAt),
      .capacity = load_little64(bytes + kCapacityAt),
      .target_fpp = std::bit_cast<double>(load_little64(bytes + kTargetFppAt)),
      .bits = load_little64(bytes + kBitsAt),
      .inserted = load_little64(bytes + kInsertedAt),
      .stride_bytes = load_little16(bytes + kStrideAt),
      .hash_bits = std::to_integer<std::uint8_t>(bytes[kHashBitsAt]),
      .shards = load_little32(bytes + kShardsAt),
      .first_shard = load_little32(bytes + kFirstShardAt),
      .held_shards = load_little32(bytes + kHeldShardsAt),
      .column_bytes = load_little64(bytes + kColumnBytesAt),
      .exception_bytes = load_little64(bytes + kExceptionBytesAt),
      .exceptions = load_little64(bytes + kExceptionsAt),
      .exception_checksum = load_little32(bytes + kExceptionChecksumAt),
      .payload_bytes = load_little64(bytes + kPayloadBytesAt),
      .metadata_bytes = load_little64(bytes + kMetadataBytesAt),
      .payload_checksum = load_little32(bytes + kPayloadChecksumAt),
      .metadata_checksum = load_little32(bytes + kMetadataChecksumAt),
  };
  BLOOMERY_RETURN_IF_ERROR(check_extent(header, bytes, file_bytes));
  std::copy_n(bytes + kSoleEntryAt, header.sole_entry.size(), header.sole_entry.begin());
  return header;
}

}  // namespace bloomery
