// The Protocol Buffers messages of HBase's directories, parsed.
//
//   TableName          1 namespace   2 qualifier
//   TableSchema        1 TableName   2* attribute   3* ColumnFamilySchema   4* configuration
//   ColumnFamilySchema 1 name        2* attribute   3* configuration
//   RegionInfo         1 id  2 TableName  3 start key  4 end key  5 offline  6 split  7 replica
//   Reference          1 split key   2 range: 0 top, 1 bottom
//   attributes and configuration are pairs { 1 name  2 value }
//
//   snapshot's description      1 name  2 table  3 creation time  5 version  8 time to live (seconds)
//   snapshot's manifest         1 TableSchema  2* { 2 RegionInfo  3* { 1 family  2* file } }
//   file of a manifest          1 name  2 Reference  3 size
//   list of a file tracker      1 timestamp  2* { 1 name  2 size }  3 version
//
// Unknown fields are skipped. Each parser is passed the bytes of one message and its byte offset in the file,
// `place`. Errors: kCorruption, with the message's name and the offset, also for a required field that is
// missing.
//
// Source: HBase 2.6, the .proto files HBase, Snapshot, FS and StoreFileTracker.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/table/table_schema.h"

namespace bloomery::table {

struct TableName {
  std::string name_space = "default";
  std::string name = {};

  // Splits "ns:table", or "table" in the namespace default. Errors: kInvalidArgument.
  static Result<TableName> parse(std::string_view text);
  // Returns "ns:table", without "default:".
  std::string text() const;
  bool operator==(const TableName&) const = default;
};

struct RegionInfo {
  TableName table = {};
  std::uint64_t id = 0;
  std::string start = {};
  std::string end = {};  // exclusive; empty: no end
  bool is_offline = false;
  bool is_split = false;
  std::uint64_t replica = 0;

  bool is_parent() const { return is_offline && is_split; }
  // Returns the name of the region's directory: the md5 of "table,start,id" in hex.
  std::string encoded_name() const;
};

// One half of a file.
struct FileHalf {
  std::string row = {};  // the first row of the top half
  bool is_top = false;

  bool operator==(const FileHalf&) const = default;
};

struct SnapshotDescription {
  std::string name = {};
  TableName table = {};
  std::int64_t creation_time = 0;  // milliseconds
  std::int64_t time_to_live = 0;   // seconds; 0 is for ever
  std::uint64_t version = 0;
};

struct ManifestFile {
  std::string name = {};
  std::optional<FileHalf> half = {};
  std::uint64_t size_bytes = 0;  // of a reference or a link: of the file that it leads to
};

struct ManifestFamily {
  std::string name = {};
  std::vector<ManifestFile> files = {};
};

struct ManifestRegion {
  RegionInfo region = {};
  std::vector<ManifestFamily> families = {};
};

struct SnapshotManifest {
  TableSchema schema = {};
  std::vector<ManifestRegion> regions = {};
};

struct TrackedFile {
  std::string name = {};
  std::uint64_t size_bytes = 0;  // 0 for references and links

  bool operator==(const TrackedFile&) const = default;
};

struct TrackedFiles {
  std::uint64_t timestamp = 0;
  std::uint64_t version = 1;
  std::vector<TrackedFile> files = {};
};

// Removes the leading "PBUF" from `bytes` and advances `place`. Errors: kCorruption if it is missing.
Status take_magic(std::string_view& bytes, const char* subject, std::uint64_t& place);

Result<TableSchema> parse_table_schema(std::string_view message, std::uint64_t place);
Result<RegionInfo> parse_region_info(std::string_view message, std::uint64_t place);
// Parses a complete .regioninfo file: magic, length, message.
Result<RegionInfo> parse_region_info_file(std::string_view bytes);
Result<FileHalf> parse_reference(std::string_view message, std::uint64_t place);
// Parses a complete reference file: magic, message.
Result<FileHalf> parse_reference_file(std::string_view bytes);
Result<SnapshotDescription> parse_snapshot_description(std::string_view message);
Result<SnapshotManifest> parse_snapshot_manifest(std::string_view message);
Result<TrackedFiles> parse_tracked_files(std::string_view message, std::uint64_t place);
// Parses the entry COMPACTION_EVENT_KEY of a file's info, magic and message: the names of the files that were
// compacted into this one.
Result<std::vector<std::string>> parse_compaction_event(std::string_view bytes, std::uint64_t place);

}  // namespace bloomery::table
