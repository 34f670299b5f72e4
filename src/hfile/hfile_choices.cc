#include "bloomery/hfile/hfile_choices.h"

#include "base/choice_names.h"

namespace bloomery::hfile {
namespace {

constexpr const char* kOptionsSubject = "options of an HFile";

constexpr ChoiceNames<Compression, 5> kCompressions{{{{Compression::kNone, "NONE"},
                                                      {Compression::kGz, "GZ"},
                                                      {Compression::kSnappy, "SNAPPY"},
                                                      {Compression::kLz4, "LZ4"},
                                                      {Compression::kZstd, "ZSTD"}}}};
constexpr ChoiceNames<DataEncoding, 5> kEncodings{{{{DataEncoding::kNone, "NONE"},
                                                    {DataEncoding::kPrefix, "PREFIX"},
                                                    {DataEncoding::kDiff, "DIFF"},
                                                    {DataEncoding::kFastDiff, "FAST_DIFF"},
                                                    {DataEncoding::kRowIndexV1, "ROW_INDEX_V1"}}}};
constexpr ChoiceNames<ChecksumType, 3> kChecksums{
    {{{ChecksumType::kNull, "NULL"}, {ChecksumType::kCrc32, "CRC32"}, {ChecksumType::kCrc32c, "CRC32C"}}}};
constexpr ChoiceNames<BloomType, 4> kBloomTypes{{{{BloomType::kNone, "NONE"},
                                                  {BloomType::kRow, "ROW"},
                                                  {BloomType::kRowCol, "ROWCOL"},
                                                  {BloomType::kRowPrefix, "ROWPREFIX_FIXED_LENGTH"}}}};
constexpr ChoiceNames<BloomHash, 3> kBloomHashes{
    {{{BloomHash::kJenkins, "jenkins"}, {BloomHash::kMurmur, "murmur"}, {BloomHash::kMurmur3, "murmur3"}}}};

}  // namespace

const char* compression_name(Compression compression) {
  return kCompressions.name_of(compression);
}

Result<Compression> parse_compression(std::string_view name) {
  return kCompressions.parse(kOptionsSubject, "compression", name);
}

std::vector<std::string> compression_names() {
  return kCompressions.names();
}

const char* data_encoding_name(DataEncoding encoding) {
  return kEncodings.name_of(encoding);
}

Result<DataEncoding> parse_data_encoding(std::string_view name) {
  return kEncodings.parse(kOptionsSubject, "encoding", name);
}

std::vector<std::string> data_encoding_names() {
  return kEncodings.names();
}

const char* checksum_type_name(ChecksumType type) {
  return kChecksums.name_of(type);
}

Result<ChecksumType> parse_checksum_type(std::string_view name) {
  return kChecksums.parse(kOptionsSubject, "checksum", name);
}

std::vector<std::string> checksum_type_names() {
  return kChecksums.names();
}

const char* bloom_type_name(BloomType type) {
  return kBloomTypes.name_of(type);
}

Result<BloomType> parse_bloom_type(std::string_view name) {
  return kBloomTypes.parse(kOptionsSubject, "bloom.type", name);
}

std::vector<std::string> bloom_type_names() {
  return kBloomTypes.names();
}

const char* bloom_hash_name(BloomHash hash) {
  return kBloomHashes.name_of(hash);
}

Result<BloomHash> parse_bloom_hash(std::string_view name) {
  return kBloomHashes.parse(kOptionsSubject, "bloom.hash", name);
}

std::vector<std::string> bloom_hash_names() {
  return kBloomHashes.names();
}

}  // namespace bloomery::hfile
