#include "codec/rocksdb/table_properties.h"

#include <span>
#include <string_view>

#include "base/endian.h"
#include "base/varint.h"

namespace bloomery {
namespace {

constexpr const char* kNoExtractor = "nullptr";  // RocksDB's text for no extractor

class PropertyBlock {
 public:
  PropertyBlock(std::span<const std::byte> contents, std::uint64_t offset)
      : contents_(contents), offset_(offset) {}

  Result<std::string> text(const char* name, const std::string& otherwise) const {
    BLOOMERY_ASSIGN_OR_RETURN(const auto value, sstable::find_value(contents_, offset_, name));
    return value ? std::string(reinterpret_cast<const char*>(value->data()), value->size()) : otherwise;
  }
  Result<std::uint64_t> number(const char* name, std::uint64_t otherwise = 0) const {
    BLOOMERY_ASSIGN_OR_RETURN(auto value, sstable::find_value(contents_, offset_, name));
    return value ? read_next_varint(*value, offset_) : otherwise;
  }
  Result<bool> flag(const char* name) const {
    BLOOMERY_ASSIGN_OR_RETURN(const std::string value, text(name, "1"));
    return value == "1";
  }

 private:
  std::span<const std::byte> contents_;
  std::uint64_t offset_;
};

Status read_index_form(const PropertyBlock& values, std::uint64_t at, RocksDbTableProperties& properties) {
  enum IndexType : std::uint32_t { kBinary = 0, kHash = 1, kTwoLevels = 2, kWithFirstKeys = 3 };
  BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t user_keys, values.number("rocksdb.index.key.is.user.key"));
  BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t delta, values.number("rocksdb.index.value.is.delta.encoded"));
  BLOOMERY_ASSIGN_OR_RETURN(const std::string type, values.text("rocksdb.block.based.table.index.type",
                                                                std::string(sizeof(std::uint32_t), '\0')));
  properties.index = {.internal_keys = user_keys == 0, .delta_handles = delta != 0};
  if (type.size() != sizeof(std::uint32_t)) {
    return Error::corruption(kRocksDbTableSubject, at, "a type of index of 4 bytes", type.size());
  }
  const std::uint32_t number = load_little32(reinterpret_cast<const std::byte*>(type.data()));
  properties.has_two_level_index = number == kTwoLevels;
  properties.has_first_keys = number == kWithFirstKeys;
  return {};
}

}  // namespace

Result<RocksDbTableProperties> RocksDbTableProperties::read(const sstable::TableFile& table) {
  BLOOMERY_ASSIGN_OR_RETURN(const auto handle, table.find_meta("rocksdb.properties"));
  if (!handle) {
    return Error::corruption(kRocksDbTableSubject, table.footer().metaindex.offset,
                             "rocksdb.properties in the metaindex", "none");
  }
  BLOOMERY_ASSIGN_OR_RETURN(const sstable::Block block, table.read(*handle, "properties block"));
  const PropertyBlock values(block.contents(), handle->offset);
  RocksDbTableProperties properties;
  BLOOMERY_ASSIGN_OR_RETURN(properties.entries, values.number("rocksdb.num.entries"));
  BLOOMERY_ASSIGN_OR_RETURN(properties.range_deletions, values.number("rocksdb.num.range-deletions"));
  BLOOMERY_ASSIGN_OR_RETURN(properties.data_blocks, values.number("rocksdb.num.data.blocks"));
  BLOOMERY_ASSIGN_OR_RETURN(properties.data_bytes, values.number("rocksdb.data.size"));
  BLOOMERY_ASSIGN_OR_RETURN(properties.filter_bytes, values.number("rocksdb.filter.size"));
  BLOOMERY_ASSIGN_OR_RETURN(properties.whole_keys,
                            values.flag("rocksdb.block.based.table.whole.key.filtering"));
  BLOOMERY_ASSIGN_OR_RETURN(properties.prefix_filtering,
                            values.flag("rocksdb.block.based.table.prefix.filtering"));
  BLOOMERY_ASSIGN_OR_RETURN(properties.prefix_extractor,
                            values.text("rocksdb.prefix.extractor.name", kNoExtractor));
  BLOOMERY_ASSIGN_OR_RETURN(properties.comparator, values.text("rocksdb.comparator", ""));
  BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t timestamps,
                            values.number("rocksdb.user.defined.timestamps.persisted", 1));
  properties.keeps_timestamps = timestamps != 0;
  BLOOMERY_RETURN_IF_ERROR(read_index_form(values, handle->offset, properties));
  return properties;
}

std::size_t RocksDbTableProperties::timestamp_bytes() const {
  return keeps_timestamps && comparator.ends_with(".u64ts") ? sizeof(std::uint64_t) : 0;
}

}  // namespace bloomery
