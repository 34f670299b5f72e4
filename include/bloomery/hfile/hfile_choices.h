// The choices for an HFile: its compression, the encoding of its data blocks, its checksums and its Bloom
// filters.
//
// A parse_ function reads HBase's name of a choice; its errors are kInvalidArgument, with all names. A _names
// function returns all names in the order in which messages list them. All functions are pure and safe from
// any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/base/result.h"

namespace bloomery::hfile {

// The compression of all blocks. These numbers are stored in the trailer; never renumber them.
enum class Compression : std::uint8_t { kGz = 1, kNone = 2, kSnappy = 3, kLz4 = 4, kZstd = 6 };

const char* compression_name(Compression compression);  // "GZ"
Result<Compression> parse_compression(std::string_view name);
std::vector<std::string> compression_names();

// The encoding of data blocks. These numbers precede the cells of an encoded block; never renumber them.
enum class DataEncoding : std::uint16_t { kNone = 0, kPrefix = 2, kDiff = 3, kFastDiff = 4, kRowIndexV1 = 7 };

const char* data_encoding_name(DataEncoding encoding);  // "FAST_DIFF"
Result<DataEncoding> parse_data_encoding(std::string_view name);
std::vector<std::string> data_encoding_names();

// The checksums of blocks. These numbers are stored in a block's header; never renumber them.
enum class ChecksumType : std::uint8_t { kNull = 0, kCrc32 = 1, kCrc32c = 2 };

const char* checksum_type_name(ChecksumType type);  // "CRC32C"
Result<ChecksumType> parse_checksum_type(std::string_view name);
std::vector<std::string> checksum_type_names();

// The keys of a Bloom filter: rows, rows with their qualifiers, or the first bytes of rows.
enum class BloomType : std::uint8_t { kNone, kRow, kRowCol, kRowPrefix };

const char* bloom_type_name(BloomType type);  // "ROWPREFIX_FIXED_LENGTH"
Result<BloomType> parse_bloom_type(std::string_view name);
std::vector<std::string> bloom_type_names();

// The hash of a Bloom filter. These numbers are stored in its meta block; never renumber them.
enum class BloomHash : std::uint8_t { kJenkins = 0, kMurmur = 1, kMurmur3 = 2 };

const char* bloom_hash_name(BloomHash hash);  // "murmur3"
Result<BloomHash> parse_bloom_hash(std::string_view name);
std::vector<std::string> bloom_hash_names();

}  // namespace bloomery::hfile
