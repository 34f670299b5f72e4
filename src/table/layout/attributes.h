// The attributes of a new table and its families: names, values and defaults of HBase.
//
//   family                      value                                             default
//   VERSIONS                    1 to 2^31 - 1                                     1
//   MIN_VERSIONS                0 to 2^31 - 1, at most VERSIONS                   0
//   TTL                         seconds, FOREVER, or such as 1 DAY 2 HOURS        FOREVER
//   KEEP_DELETED_CELLS          FALSE, TRUE, TTL                                  FALSE
//   BLOOMFILTER                 NONE, ROW, ROWCOL, ROWPREFIX_FIXED_LENGTH, AUTO   ROW
//   RowPrefixBloomFilter.prefix_length   1 to 32767; with ROWPREFIX_FIXED_LENGTH
//   hbase.hregion.majorcompaction        milliseconds, 0 for never                the table's
//   COMPRESSION                 NONE, GZ, SNAPPY, LZ4, ZSTD                       NONE
//   DATA_BLOCK_ENCODING         NONE, PREFIX, DIFF, FAST_DIFF, ROW_INDEX_V1       NONE
//   BLOCKSIZE                   1 KB to 16 MB, in bytes or such as 64KB           65536
//   IN_MEMORY, BLOCKCACHE       true, false                                       false, true
//   CACHE_DATA_ON_WRITE, CACHE_INDEX_ON_WRITE, CACHE_BLOOMS_ON_WRITE, EVICT_BLOCKS_ON_CLOSE,
//   PREFETCH_BLOCKS_ON_OPEN, COMPRESS_TAGS       true, false                      false
//   REPLICATION_SCOPE 0, INDEX_BLOCK_ENCODING NONE, NEW_VERSION_BEHAVIOR false, IS_MOB false: HBase's other
//   values are not supported
//
//   table
//   READONLY, COMPACTION_ENABLED    true, false
//   DURABILITY                      USE_DEFAULT, SKIP_WAL, ASYNC_WAL, SYNC_WAL, FSYNC_WAL
//   MAX_FILESIZE                    2 MB or more
//   MEMSTORE_FLUSHSIZE              1 MB or more
//   hbase.hregion.majorcompaction   milliseconds, 0 for never
//
// HBase does not know AUTO. A descriptor has it as the attribute BLOOMERY_FILTER, which HBase keeps, and
// BLOOMFILTER is ROW.
//
// Names and words are accepted in any case; a family's first twelve are always written. HBase understands a
// malformed number or truth value as 0 or false, this as an error. The FILE tracker is set for each table and
// cannot be changed.
//
// Source: HBase 2.6, ColumnFamilyDescriptorBuilder, TableDescriptorBuilder, TableDescriptorChecker.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/table/table_schema.h"

namespace bloomery::table {

struct Attribute {
  std::string name = {};   // as HBase writes it
  std::string value = {};  // as HBase writes it
  bool is_configuration = false;
};

// The attribute of a family with BLOOMFILTER => AUTO.
inline constexpr std::string_view kAutoFilter = "BLOOMERY_FILTER";
inline constexpr std::string_view kMajorCompaction = "hbase.hregion.majorcompaction";

// BLOOMFILTER => AUTO is returned as kAutoFilter. Errors: kInvalidArgument with the name as its subject;
// kUnsupported.
Result<Attribute> parse_family_attribute(std::string_view name, std::string_view value);
Result<Attribute> parse_table_attribute(std::string_view name, std::string_view value);

// Returns the text of an attribute of a table or a family, or an empty one.
template <typename Schema>
std::string_view attribute_text(const Schema& schema, std::string_view name) {
  for (const SettingMap* const settings : {&schema.settings, &schema.configuration}) {
    if (const auto found = settings->find(name); found != settings->end()) {
      return found->second;
    }
  }
  return {};
}

std::vector<std::string> names_of_family_attributes();
std::vector<std::string> names_of_table_attributes();

const SettingMap& default_family_attributes();
const SettingMap& default_table_attributes();

}  // namespace bloomery::table
