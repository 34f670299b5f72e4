#include "codec/spark/spark_header.h"

#include <algorithm>
#include <string>

#include "base/endian.h"
#include "codec/java_sizing.h"

namespace bloomery {
namespace {

constexpr const char* kSparkHeaderPlace = "spark header";

Error ends_early(std::size_t expected, std::size_t found) {
  return Error::corruption(kSparkHeaderPlace, found, std::to_string(expected) + " bytes",
                           "the end after " + std::to_string(found));
}

}  // namespace

std::uint64_t most_spark_probes(std::uint64_t bits) {
  const double most = java_round(java_ideal_hash_count(static_cast<double>(bits), 1));
  return std::clamp<std::uint64_t>(static_cast<std::uint64_t>(most), 1, 0x7fffffff);
}

Result<SparkHeader> read_spark_header(std::span<const std::byte> file) {
  if (file.size() < 4) {
    return ends_early(4, file.size());
  }
  const std::uint32_t version = load_big32(file.data());
  if (version != 1 && version != 2) {
    return Error::unsupported(kSparkHeaderPlace, 0,
                              "version: expected 1 or 2, found " + std::to_string(version));
  }
  SparkHeader header{.version = static_cast<SparkVersion>(version)};
  const std::size_t size = header.byte_size();
  if (file.size() < size) {
    return ends_early(size, file.size());
  }
  header.hash_count = load_big32(file.data() + 4);
  header.seed = version == 1 ? 0 : static_cast<std::int32_t>(load_big32(file.data() + 8));
  header.words = load_big32(file.data() + size - 4);
  if (header.words == 0 || header.words > kMaxJavaWords) {
    return Error::corrupt_field(kSparkHeaderPlace, size - 4, "words", "1 to 2147483647", header.words);
  }
  const std::uint64_t has = (file.size() - size) / 8;
  if (has < header.words) {
    return Error::corrupt_field(kSparkHeaderPlace, size - 4, "words",
                                "at most the " + std::to_string(has) + " that the file has", header.words);
  }
  const std::uint64_t most = most_spark_probes(header.bits());
  if (header.hash_count == 0 || header.hash_count > most) {
    return Error::corrupt_field(kSparkHeaderPlace, 4, "hash count",
                                "1 to " + std::to_string(most) + ", which is that of one key",
                                header.hash_count);
  }
  return header;
}

SparkHeaderBytes spark_header_bytes(const SparkHeader& header) {
  SparkHeaderBytes made{.bytes = {}, .size = header.byte_size()};
  store_big(made.bytes.data(), static_cast<std::uint32_t>(header.version));
  store_big(made.bytes.data() + 4, header.hash_count);
  if (header.version == SparkVersion::kV2) {
    store_big(made.bytes.data() + 8, static_cast<std::uint32_t>(header.seed));
  }
  store_big(made.bytes.data() + made.size - 4, header.words);
  return made;
}

}  // namespace bloomery
