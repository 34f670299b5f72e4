#include "hfile/bloom/bloom_sizing.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <string>

namespace bloomery::hbase {
namespace {

constexpr double kLn2 = std::numbers::ln2;
constexpr std::uint64_t kMaxBits = std::numeric_limits<std::int32_t>::max();  // a position is a Java int
constexpr std::uint32_t kMostFold = 31;
constexpr double kMaxHashCount = 255;

Error unusable(const std::string& what) {
  return Error::invalid_argument("hbase bloom chunk", what);
}

}  // namespace

float rowcol_error_rate(float error_rate) {
  const float kept = 1 - error_rate;
  return static_cast<float>(1 - std::sqrt(static_cast<double>(kept)));
}

Result<ChunkShape> chunk_shape(const ChunkOptions& options) {
  if (!(options.error_rate > 0 && options.error_rate < 1)) {
    return unusable("error rate: expected a number above 0 and below 1");
  }
  if (options.max_fold > kMostFold) {
    return unusable("fold: expected at most 31, found " + std::to_string(options.max_fold));
  }
  const std::uint64_t step = std::uint64_t{1} << options.max_fold;
  const std::uint64_t bytes = (options.hint_bytes + step - 1) / step * step;
  const std::uint64_t bits = bytes * 8;
  if (bits == 0 || bits > kMaxBits) {
    return unusable("size: expected 1 to 2147483647 bits, found " + std::to_string(bits));
  }
  const double log_rate = std::log(static_cast<double>(options.error_rate));
  const auto ideal = static_cast<std::uint64_t>(static_cast<double>(bits) * (kLn2 * kLn2 / -log_rate));
  if (ideal == 0) {
    return unusable("size: expected room for a key, found none in " + std::to_string(bits) + " bits");
  }
  const std::uint64_t bits_per_key = bits / ideal;  // HBase divides integers here too
  const double hash_count = std::ceil(kLn2 * static_cast<double>(bits_per_key));
  if (hash_count < 1 || hash_count > kMaxHashCount) {
    return unusable("error rate: expected 1 to 255 hashes, found " + std::to_string(hash_count));
  }
  const double max_keys =
      -static_cast<double>(bits) / hash_count * std::log(1 - std::exp(log_rate / hash_count));
  if (!(max_keys >= 1)) {
    return unusable("size: expected room for a key, found none in " + std::to_string(bits) + " bits");
  }
  return ChunkShape{.byte_size = static_cast<std::uint32_t>(bytes),
                    .hash_count = static_cast<std::uint32_t>(hash_count),
                    .max_keys = static_cast<std::uint32_t>(max_keys)};
}

ChunkShape folded_shape(ChunkShape shape, std::uint32_t key_count) {
  while (shape.byte_size % 2 == 0 && shape.max_keys > std::uint64_t{2} * key_count) {
    shape.byte_size /= 2;
    shape.max_keys /= 2;
  }
  return shape;
}

}  // namespace bloomery::hbase
