#include "table/layout/hbase_messages_writer.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <zlib.h>

#include "base/message.h"
#include "hfile/byte_writer.h"
#include "hfile/protobuf_writer.h"

namespace bloomery::table {
namespace {

using hfile::append_bytes_field;
using hfile::append_integer_field;
using hfile::ByteWriter;

constexpr std::string_view kFileMagic = "PBUF";

// The attributes that HBase's descriptors have from the start, in the order of their buckets.
constexpr std::array<std::string_view, 12> kFamilyDefaults = {
    "INDEX_BLOCK_ENCODING", "VERSIONS",          "KEEP_DELETED_CELLS", "DATA_BLOCK_ENCODING", "TTL",
    "MIN_VERSIONS",         "REPLICATION_SCOPE", "BLOOMFILTER",        "IN_MEMORY",           "COMPRESSION",
    "BLOCKCACHE",           "BLOCKSIZE"};
constexpr std::array<std::string_view, 1> kTableDefaults = {"IS_META"};

std::uint32_t hash_of_java_bytes(std::string_view bytes) {
  std::uint32_t hash = 1;
  for (const char byte : bytes) {
    hash = 31 * hash + static_cast<std::uint32_t>(static_cast<std::int32_t>(static_cast<signed char>(byte)));
  }
  return hash ^ hash >> 16;
}

std::uint32_t hash_of_java_text(std::string_view text) {
  std::uint32_t hash = 0;
  for (const char byte : text) {
    hash = 31 * hash + static_cast<unsigned char>(byte);
  }
  return hash ^ hash >> 16;
}

using Setting = std::pair<std::string_view, std::string_view>;

// Returns the settings in the order of a HashMap that is a copy of another one, as HBase's descriptors are. A
// copy has the buckets for its entries and one third more.
template <typename Hash>
std::vector<Setting> in_java_order(const SettingMap& settings, std::span<const std::string_view> defaults,
                                   Hash hash) {
  const std::size_t buckets = std::bit_ceil(settings.size() * 4 / 3 + 1);
  std::vector<Setting> ordered(settings.begin(), settings.end());
  const auto is_late = [&](const Setting& setting) {
    return std::ranges::find(defaults, setting.first) == defaults.end();
  };
  std::ranges::stable_sort(ordered, {}, is_late);
  std::ranges::stable_sort(ordered, {}, [&](const Setting& setting) {
    return hash(setting.first) & static_cast<std::uint32_t>(buckets - 1);
  });
  return ordered;
}

void append_settings(ByteWriter& out, std::uint32_t number, const std::vector<Setting>& settings) {
  for (const auto& [name, value] : settings) {
    ByteWriter pair;
    append_bytes_field(pair, 1, name);
    append_bytes_field(pair, 2, value);
    append_bytes_field(out, number, pair.text());
  }
}

void append_table_name(ByteWriter& out, std::uint32_t number, const TableName& table) {
  ByteWriter name;
  append_bytes_field(name, 1, table.name_space);
  append_bytes_field(name, 2, table.name);
  append_bytes_field(out, number, name.text());
}

void append_family(ByteWriter& out, const FamilySchema& schema) {
  ByteWriter family;
  append_bytes_field(family, 1, schema.name);
  append_settings(family, 2, in_java_order(schema.settings, kFamilyDefaults, hash_of_java_bytes));
  append_settings(family, 3, in_java_order(schema.configuration, {}, hash_of_java_text));
  append_bytes_field(out, 3, family.text());
}

void append_region_info(ByteWriter& out, const RegionInfo& region) {
  append_integer_field(out, 1, region.id);
  append_table_name(out, 2, region.table);
  append_bytes_field(out, 3, region.start);
  append_bytes_field(out, 4, region.end);
  append_integer_field(out, 5, region.is_offline ? 1 : 0);
  append_integer_field(out, 6, region.is_split ? 1 : 0);
  append_integer_field(out, 7, region.replica);
}

}  // namespace

std::string write_table_schema(const TableSchema& schema) {
  ByteWriter out;
  append_table_name(out, 1, {schema.name_space, schema.name});
  append_settings(out, 2, in_java_order(schema.settings, kTableDefaults, hash_of_java_bytes));
  for (const FamilySchema& family : schema.families) {
    append_family(out, family);
  }
  append_settings(out, 4, in_java_order(schema.configuration, {}, hash_of_java_text));
  return std::string(out.text());
}

std::string write_table_schema_file(const TableSchema& schema) {
  return message(kFileMagic, write_table_schema(schema));
}

std::string write_region_info(const RegionInfo& region) {
  ByteWriter out;
  append_region_info(out, region);
  return std::string(out.text());
}

std::string write_region_info_file(const RegionInfo& region) {
  ByteWriter out;
  out.append(kFileMagic);
  hfile::append_delimited(out, write_region_info(region));
  return std::string(out.text());
}

std::string write_snapshot_description(const SnapshotDescription& snapshot) {
  constexpr std::uint64_t kFlush = 1;
  ByteWriter out;
  append_bytes_field(out, 1, snapshot.name);
  append_bytes_field(out, 2, snapshot.table.text());
  append_integer_field(out, 3, static_cast<std::uint64_t>(snapshot.creation_time));
  append_integer_field(out, 4, kFlush);
  append_integer_field(out, 5, snapshot.version);
  append_integer_field(out, 8, static_cast<std::uint64_t>(snapshot.time_to_live));
  return std::string(out.text());
}

std::string write_snapshot_manifest(const SnapshotManifest& manifest) {
  ByteWriter out;
  append_bytes_field(out, 1, write_table_schema(manifest.schema));
  for (const ManifestRegion& region : manifest.regions) {
    ByteWriter of_region;
    append_integer_field(of_region, 1, 0);
    append_bytes_field(of_region, 2, write_region_info(region.region));
    for (const ManifestFamily& family : region.families) {
      ByteWriter of_family;
      append_bytes_field(of_family, 1, family.name);
      for (const ManifestFile& file : family.files) {
        ByteWriter of_file;
        append_bytes_field(of_file, 1, file.name);
        append_integer_field(of_file, 3, file.size_bytes);
        append_bytes_field(of_family, 2, of_file.text());
      }
      append_bytes_field(of_region, 3, of_family.text());
    }
    append_bytes_field(out, 2, of_region.text());
  }
  return std::string(out.text());
}

std::string write_tracker_list(const TrackedFiles& files) {
  ByteWriter list;
  append_integer_field(list, 1, files.timestamp);
  for (const TrackedFile& file : files.files) {
    ByteWriter entry;
    append_bytes_field(entry, 1, file.name);
    append_integer_field(entry, 2, file.size_bytes);
    append_bytes_field(list, 2, entry.text());
  }
  append_integer_field(list, 3, files.version);
  const std::string_view content = list.text();
  ByteWriter out;
  out.number(static_cast<std::uint32_t>(content.size()));
  out.append(content);
  out.number(static_cast<std::uint32_t>(
      ::crc32(0, reinterpret_cast<const Bytef*>(content.data()), static_cast<uInt>(content.size()))));
  return std::string(out.text());
}

}  // namespace bloomery::table
