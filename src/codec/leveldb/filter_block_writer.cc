#include <limits>

#include "base/endian.h"
#include "bloomery/codec/leveldb_filter_block.h"
#include "codec/leveldb/raw_filter.h"

namespace bloomery {
namespace {

constexpr unsigned kLg = 11;  // LevelDB's value: one filter per 2 KiB of offsets
constexpr std::uint64_t kMaxOffset = std::uint64_t{1} << 40;

void append_little32(std::string& out, std::uint64_t value) {
  std::byte bytes[4];
  store_little(bytes, static_cast<std::uint32_t>(value));
  out.append(reinterpret_cast<const char*>(bytes), sizeof(bytes));
}

}  // namespace

Status LevelDbFilterBlockWriter::start_block(std::uint64_t offset) {
  if (offset < last_offset_) {
    return Error::invalid_argument("data block offset", "expected at least " + std::to_string(last_offset_) +
                                                            ", found " + std::to_string(offset));
  }
  if (offset > kMaxOffset) {
    return Error::capacity("data block offset", "expected at most 2^40, found " + std::to_string(offset));
  }
  last_offset_ = offset;
  while (begins_.size() < offset >> kLg) {
    end_filter();
  }
  return {};
}

void LevelDbFilterBlockWriter::add_key(std::string_view key) {
  pending_.push_back(leveldb_hash(key, TailBytes::kUnsigned));
}

void LevelDbFilterBlockWriter::end_filter() {
  begins_.push_back(filters_.size());
  if (!pending_.empty()) {
    append_leveldb_filter(pending_, bits_per_key_, filters_);
    pending_.clear();
  }
}

Result<std::string> LevelDbFilterBlockWriter::finish() {
  if (!pending_.empty()) {
    end_filter();
  }
  if (filters_.size() > std::numeric_limits<std::uint32_t>::max()) {
    return Error::capacity("filter block", "expected at most 2^32 - 1 bytes of filters, found " +
                                               std::to_string(filters_.size()));
  }
  const std::uint64_t array_begin = filters_.size();
  for (const std::uint64_t begin : begins_) {
    append_little32(filters_, begin);
  }
  append_little32(filters_, array_begin);
  filters_ += static_cast<char>(kLg);
  return std::move(filters_);
}

}  // namespace bloomery
