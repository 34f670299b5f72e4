// The header of the native file: what is accepted, and how everything else is refused.
#include "filter/native/native_header.h"

#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include <gtest/gtest.h>

#include "base/crc32c.h"
#include "base/endian.h"
#include "filter/ribbon/ribbon_directory.h"

namespace bloomery {
namespace {

using HeaderBytes = std::array<std::byte, kNativeHeaderBytes>;

NativeHeader example() {
  return {.type = FilterType::kBloom,
          .hash = {.id = HashId::kXxh3, .seed = 7},
          .keys = {.form = KeyForm::kInt64, .trim = true, .ignore_case = true, .parts = 3},
          .dirty = true,
          .hash_count = 7,
          .capacity = 1000,
          .target_fpp = 0.01,
          .bits = 9586,
          .inserted = 999,
          .payload_bytes = 1200,
          .metadata_bytes = 5,
          .payload_checksum = 0x12345678,
          .metadata_checksum = 0x9abcdef0};
}

// A ribbon's second and third shard of five.
NativeHeader ribbon_example() {
  return {.type = FilterType::kRibbon,
          .hash = {.id = HashId::kXxh3, .seed = 7},
          .hash_count = 59,
          .capacity = 330'000,
          .target_fpp = 1e-3,
          .bits = 96'000,
          .inserted = 131'072,
          .hash_bits = 64,
          .shards = 5,
          .first_shard = 1,
          .held_shards = 2,
          .payload_bytes = 12'000,
          .metadata_bytes = 5,
          .payload_checksum = 0x12345678,
          .metadata_checksum = 0x9abcdef0};
}

NativeHeader block_list_example() {
  NativeHeader header = example();
  header.keys = {.form = KeyForm::kUrlPrefix};
  return header;
}

NativeHeader url_example() {
  NativeHeader header = example();
  header.keys = {.form = KeyForm::kUrl, .ignore_case = true, .url = {.drop_tracking = true}};
  return header;
}

// The same bytes with a field changed and the checksum made right again: what only a wrong writer can leave.
template <typename T>
HeaderBytes with_field(std::size_t offset, T value, const NativeHeader& header = example()) {
  HeaderBytes bytes = encode(header);
  store_little(bytes.data() + offset, value);
  store_little(bytes.data() + 188, crc32c(std::span(bytes).first(188)));
  return bytes;
}

Error error_of(const HeaderBytes& bytes, std::uint64_t file_bytes = example().file_bytes()) {
  const Result<NativeHeader> header = parse_native_header(bytes, file_bytes);
  const Status checked = header ? check_ribbon_header(*header) : Status();  // as a ribbon's open() does
  return !header ? header.error() : checked ? Error::invalid_argument("none", "accepted") : checked.error();
}

TEST(NativeHeader, RoundTrips) {
  const Result<NativeHeader> parsed = parse_native_header(encode(example()), example().file_bytes());
  ASSERT_TRUE(parsed) << parsed.error().to_string();
  EXPECT_EQ(*parsed, example());
}

// On disk: bytes 180 and 181, of the form hex and of one part. Elsewhere they are reserved.
TEST(NativeHeader, DigestsHaveOneWidth) {
  NativeHeader header = example();
  header.keys = {.form = KeyForm::kHex, .trim = true};
  for (const std::uint16_t width : std::to_array<std::uint16_t>({0, 16, 20, 28, 32, 48, 64})) {
    header.keys.digest_bytes = width;
    const HeaderBytes bytes = encode(header);
    EXPECT_EQ(load_little16(bytes.data() + 180), width);
    const Result<NativeHeader> parsed = parse_native_header(bytes, header.file_bytes());
    ASSERT_TRUE(parsed) << parsed.error().to_string();
    EXPECT_EQ(*parsed, header);
  }
  header.keys.digest_bytes = 0;
  for (const std::uint16_t width : std::to_array<std::uint16_t>({1, 15, 21, 0x1400, 0xffff})) {
    const Error error = error_of(with_field(180, width, header));
    EXPECT_EQ(error.code(), ErrorCode::kUnsupported) << width;
    EXPECT_EQ(error.offset(), 180u) << error.to_string();
    EXPECT_TRUE(error.detail().starts_with("digest bytes: expected 0, 16, 20, 28, 32, 48 or 64, found "))
        << error.to_string();
  }
  EXPECT_EQ(error_of(with_field(182, std::uint16_t{1}, header)).offset(), 182u);
  header.keys.parts = 2;
  for (const HeaderBytes& bytes :
       {with_field(180, std::uint16_t{20}, header), with_field(180, std::uint16_t{20})}) {
    EXPECT_EQ(error_of(bytes).code(), ErrorCode::kUnsupported);
    EXPECT_TRUE(error_of(bytes).detail().starts_with("reserved: expected 0, found 20"))
        << error_of(bytes).to_string();
  }
}

// On disk since canonical URLs entered version 1: form 5, flags 4 (sorted query) and 8 (tracking parameters
// of list 1).
TEST(NativeHeader, OptionsOfUrlsAreKeyFlags) {
  const std::array<std::pair<UrlOptions, int>, 4> all = {{{{}, 2},
                                                          {{.sort_query = true}, 6},
                                                          {{.drop_tracking = true}, 10},
                                                          {{.sort_query = true, .drop_tracking = true}, 14}}};
  for (const auto& [options, flags] : all) {
    NativeHeader header = url_example();
    header.keys.url = options;
    const HeaderBytes bytes = encode(header);
    EXPECT_EQ(load_little16(bytes.data() + 20), 5);
    EXPECT_EQ(load_little16(bytes.data() + 22), flags);
    const Result<NativeHeader> parsed = parse_native_header(bytes, header.file_bytes());
    ASSERT_TRUE(parsed) << parsed.error().to_string();
    EXPECT_EQ(*parsed, header);
  }
}

// They say nothing of other forms: a file that has them there would be refused.
TEST(NativeHeader, OptionsOfUrlsAreNotWrittenForOtherForms) {
  NativeHeader header = example();
  header.keys.url = {.sort_query = true, .drop_tracking = true};
  EXPECT_EQ(encode(header), encode(example()));
}

TEST(NativeHeader, EveryFlippedByteIsSeen) {
  const HeaderBytes whole = encode(example());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      HeaderBytes bytes = whole;
      bytes[i] ^= static_cast<std::byte>(1 << bit);
      EXPECT_FALSE(parse_native_header(bytes, example().file_bytes())) << "byte " << i << " bit " << bit;
    }
  }
}

TEST(NativeHeader, EveryCutIsSeen) {
  const HeaderBytes whole = encode(example());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const Result<NativeHeader> parsed = parse_native_header(std::span(whole).first(size), size);
    ASSERT_FALSE(parsed) << size;
    EXPECT_EQ(parsed.error().code(), ErrorCode::kCorruption);
    EXPECT_LE(parsed.error().offset().value_or(999), size);
  }
}

struct BadHeaderField {
  const char* name;
  HeaderBytes bytes;
  ErrorCode code;
  std::uint64_t offset;
};

// Every field out of its range, under a right checksum: an error that names the field and its place.
TEST(NativeHeader, EveryFieldOutOfRangeIsNamed) {
  constexpr ErrorCode kUnknown = ErrorCode::kUnsupported;
  constexpr ErrorCode kBad = ErrorCode::kCorruption;
  const BadHeaderField fields[] = {
      {"format version", with_field(8, 2U), kUnknown, 8},
      {"format version", with_field(8, 0U), kUnknown, 8},
      {"header bytes", with_field(12, 128U), kBad, 12},
      {"filter type", with_field(16, std::uint16_t{0}), kUnknown, 16},
      {"filter type", with_field(16, std::uint16_t{999}), kUnknown, 16},
      {"hash id", with_field(18, std::uint16_t{4}), kUnknown, 18},
      {"hash key id", with_field(18, std::uint16_t{2}), kUnknown, 40},  // a keyed hash, and no key's id
      {"key form", with_field(20, std::uint16_t{10}), kUnknown, 20},
      {"key parts", with_field(24, std::uint16_t{2}, block_list_example()), kUnknown, 24},
      {"key flags", with_field(22, std::uint16_t{4}, block_list_example()), kUnknown, 22},
      {"key flags", with_field(22, std::uint16_t{4}), kUnknown, 22},
      {"key flags", with_field(22, std::uint16_t{8}), kUnknown, 22},
      {"key flags", with_field(22, std::uint16_t{16}, url_example()), kUnknown, 22},
      {"key parts", with_field(24, std::uint16_t{0}), kBad, 24},
      {"state flags", with_field(26, std::uint16_t{2}), kUnknown, 26},
      {"hash key id", with_field(40, std::uint64_t{1}), kUnknown, 40},
      {"target fpp", with_field(56, std::bit_cast<std::uint64_t>(0.0)), kBad, 56},
      {"target fpp", with_field(56, std::bit_cast<std::uint64_t>(1.5)), kBad, 56},
      {"target fpp", with_field(56, std::bit_cast<std::uint64_t>(std::nan(""))), kBad, 56},
      {"payload offset", with_field(80, std::uint64_t{256}), kBad, 80},
      {"payload bytes", with_field(88, std::uint64_t{1208}), kBad, 88},
      {"payload bytes", with_field(88, ~std::uint64_t{0}), kBad, 88},
      {"metadata offset", with_field(96, std::uint64_t{0}), kBad, 96},
      {"metadata bytes", with_field(104, std::uint64_t{6}), kBad, 104},
      {"metadata bytes", with_field(104, ~std::uint64_t{0}), kBad, 104},
      {"stride", with_field(120, std::uint16_t{64}), kUnknown, 120},
      {"reserved", with_field(122, std::uint16_t{1}), kUnknown, 122},
      {"reserved", with_field(152, std::uint8_t{8}), kUnknown, 152},
      {"exception table bytes", with_field(160, std::uint8_t{1}), kBad, 160},
      {"exceptions", with_field(168, std::uint64_t{1}), kBad, 168},
      {"reserved", with_field(180, std::uint64_t{1} << 63), kUnknown, 187},
  };
  for (const BadHeaderField& field : fields) {
    const Error error = error_of(field.bytes);
    EXPECT_EQ(error.code(), field.code) << field.name << ": " << error.to_string();
    EXPECT_EQ(error.offset(), field.offset) << error.to_string();
    EXPECT_NE(error.detail().find(field.name), std::string::npos) << error.to_string();
    EXPECT_NE(error.detail().find("expected"), std::string::npos) << error.to_string();
  }
}

TEST(NativeHeader, ARibbonsFieldsRoundTrip) {
  NativeHeader header = ribbon_example();
  for (const std::uint8_t hash_bits : {std::uint8_t{56}, std::uint8_t{64}}) {
    for (const std::uint32_t columns : {0u, 59u}) {
      header.hash_bits = hash_bits;
      header.hash_count = columns;
      const Result<NativeHeader> parsed = parse_native_header(encode(header), header.file_bytes());
      ASSERT_TRUE(parsed) << parsed.error().to_string();
      EXPECT_EQ(*parsed, header);
    }
  }
  header.shards = 0xffffffff;
  header.first_shard = 0xfffffffe;
  header.held_shards = 1;
  const Result<NativeHeader> parsed = parse_native_header(encode(header), header.file_bytes());
  ASSERT_TRUE(parsed) << parsed.error().to_string();
  EXPECT_EQ(*parsed, header);
}

// Of a ribbon's payload the checksum covers the directory, which has those of the shards.
TEST(NativeHeader, ARibbonsPayloadChecksumIsOfItsDirectory) {
  EXPECT_EQ(ribbon_example().checksummed_payload_bytes(), 32u);
  EXPECT_EQ(example().checksummed_payload_bytes(), example().payload_bytes);
}

TEST(NativeHeader, EveryFieldOfARibbonOutOfRangeIsNamed) {
  constexpr ErrorCode kUnknown = ErrorCode::kUnsupported;
  constexpr ErrorCode kBad = ErrorCode::kCorruption;
  const auto with = [](std::size_t offset, auto value) {
    return with_field(offset, value, ribbon_example());
  };
  const BadHeaderField fields[] = {
      {"columns", with(28, 60U), kBad, 28},
      {"columns", with(28, ~0U), kBad, 28},
      {"bits", with(64, std::uint64_t{95'999}), kBad, 64},
      {"bits", with(64, std::uint64_t{96'000} | std::uint64_t{1} << 63), kBad, 64},
      {"stride", with(120, std::uint16_t{8}), kUnknown, 120},
      {"hash bits", with(122, std::uint8_t{55}), kBad, 122},
      {"hash bits", with(122, std::uint8_t{65}), kBad, 122},
      {"hash bits", with(122, std::uint8_t{0}), kBad, 122},
      {"reserved", with(123, std::uint8_t{1}), kUnknown, 123},
      {"shards", with(124, 0U), kBad, 124},
      {"first shard", with(124, 1U), kBad, 128},
      {"first shard", with(128, 5U), kBad, 128},
      {"first shard", with(128, ~0U), kBad, 128},
      {"shards held", with(128, 4U), kBad, 132},
      {"shards held", with(132, 0U), kBad, 132},
      {"shards held", with(132, 5U), kBad, 132},
      {"shards held", with(132, ~0U), kBad, 132},
      {"entry", with(136, std::uint8_t{1}), kUnknown, 136},
      {"exception column bytes", with(152, std::uint8_t{1}), kBad, 152},
      {"exception column bytes", with(152, ~std::uint64_t{0}), kBad, 152},
      {"exception table bytes", with(160, std::uint8_t{1}), kBad, 160},
      {"exception table bytes", with(160, ~std::uint64_t{15}), kBad, 160},
      {"exceptions", with(168, std::uint8_t{1}), kBad, 168},
      {"reserved", with(180, std::uint64_t{1} << 63), kUnknown, 187},
  };
  for (const BadHeaderField& field : fields) {
    const Error error = error_of(field.bytes, ribbon_example().file_bytes());
    EXPECT_EQ(error.code(), field.code) << field.name << ": " << error.to_string();
    EXPECT_EQ(error.offset(), field.offset) << error.to_string();
    EXPECT_NE(error.detail().find(std::string(field.name) + ":"), std::string::npos) << error.to_string();
    EXPECT_NE(error.detail().find("expected"), std::string::npos) << error.to_string();
  }
}

// A payload of half a word, and one that ends inside the directory.
TEST(NativeHeader, ARibbonsPayloadIsWordsWithRoomForItsDirectory) {
  for (const std::uint64_t payload_bytes : {11'996u, 24u, 0u}) {
    NativeHeader header = ribbon_example();
    header.payload_bytes = payload_bytes;
    header.bits = payload_bytes * 8;
    const Error error = error_of(encode(header), header.file_bytes());
    EXPECT_EQ(error.code(), ErrorCode::kCorruption);
    EXPECT_EQ(error.offset(), 88u) << error.to_string();
    EXPECT_NE(error.detail().find("payload bytes:"), std::string::npos) << error.to_string();
  }
}

// What are a ribbon's fields are reserved bytes of every other type.
TEST(NativeHeader, OtherTypesHaveNoFieldsOfARibbon) {
  for (const HeaderBytes& bytes :
       {with_field(122, std::uint8_t{56}), with_field(124, 1U), with_field(128, 1U), with_field(132, 1U)}) {
    EXPECT_EQ(error_of(bytes).code(), ErrorCode::kUnsupported);
    EXPECT_NE(error_of(bytes).detail().find("reserved"), std::string::npos);
  }
}

TEST(NativeHeader, TheFileMustHaveExactlyTheBytesItNames) {
  EXPECT_EQ(error_of(encode(example()), example().file_bytes() - 1).code(), ErrorCode::kCorruption);
  EXPECT_EQ(error_of(encode(example()), example().file_bytes() + 1).code(), ErrorCode::kCorruption);
  NativeHeader huge = example();
  huge.metadata_bytes = kMaxMetadataBytes + 1;
  EXPECT_EQ(error_of(encode(huge), huge.file_bytes()).code(), ErrorCode::kCorruption);
}

}  // namespace
}  // namespace bloomery
