// The attributes of tables and families: what HBase 2.6.4 accepts has its value there, all else is refused.
#include "bloomery/table/table_schema.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "table/layout/family_write_options.h"
#include "table/layout/hbase_messages_writer.h"
#include "table/layout/legal_names.h"
#include "table/layout/readable_amount.h"

namespace bloomery {
namespace {

TableSchema schema_of_f() {
  TableSchema schema = TableSchema::of_table("t").value();
  EXPECT_TRUE(schema.add_family("f"));
  return schema;
}

void expect_refused(const Status& status, ErrorCode code, const std::string& what) {
  ASSERT_FALSE(status) << what;
  EXPECT_EQ(status.error().code(), code) << what << ": " << status.error().to_string();
}

// Each text was given to HBase's client library, which returned this number; those refused here gave 0, a number
// that no table can have, or an exception.
TEST(TableSchemaText, TimesAreUnderstoodAsByHBase) {
  const std::vector<std::pair<const char*, std::int64_t>> times = {
      {"1 DAY", 86400}, {"2 DAYS 3 HOURS", 183600},    {"60", 60},   {"60 SECONDS", 60},
      {"1day", 86400},  {"60 SECONDS (1 MINUTE)", 60}, {"00005", 5}, {"90 MINUTES", 5400}};
  for (const auto& [text, seconds] : times) {
    EXPECT_EQ(table::parse_seconds(text), seconds) << text;
  }
  for (const char* const text : {"", "1 HOURS 1 DAYS", "61 SECONDS (1 MINUTE)", "3 seconds 1", "1 WEEK", "-1",
                                 "DAY", "1 DAY 1 DAY", "99999999999999999999", "1 DAY FOREVER", "(1 DAY)",
                                 "9999999999999999 DAYS", ")", "(", "1 (", "1 DAYSS"}) {
    EXPECT_FALSE(table::parse_seconds(text)) << text;
  }
}

TEST(TableSchemaText, SizesAreUnderstoodAsByHBase) {
  const std::vector<std::pair<const char*, std::int64_t>> sizes = {
      {"65536", 65536}, {"64KB", 65536},           {"64 KB", 65536},  {"64kb", 65536}, {"1 MB 1 KB", 1049600},
      {"10 B", 10},     {"65536 B (64KB)", 65536}, {"1 GB", 1 << 30}, {"64 K", 65536}};
  for (const auto& [text, bytes] : sizes) {
    EXPECT_EQ(table::parse_bytes(text), bytes) << text;
  }
  EXPECT_FALSE(table::parse_bytes("1 KB 1 MB"));
  EXPECT_FALSE(table::parse_bytes("1 XB"));
}

TEST(TableSchemaSet, ValuesAreStoredAsHBaseWritesThem) {
  TableSchema schema = schema_of_f();
  const std::vector<std::vector<const char*>> settings = {
      {"BLOOMFILTER", "rowprefix_fixed_length", "ROWPREFIX_FIXED_LENGTH"},
      {"VERSIONS", "3", "3"},
      {"MIN_VERSIONS", "1", "1"},
      {"TTL", "1 DAY", "86400"},
      {"KEEP_DELETED_CELLS", "ttl", "TTL"},
      {"COMPRESSION", "gz", "GZ"},
      {"DATA_BLOCK_ENCODING", "FAST_DIFF", "FAST_DIFF"},
      {"BLOCKSIZE", "8 KB", "8192"},
      {"in_memory", "TRUE", "true"},
      {"CACHE_DATA_ON_WRITE", "true", "true"},
      {"NEW_VERSION_BEHAVIOR", "false", "false"}};
  for (const auto& each : settings) {
    const Status set = schema.set("f", each[0], each[1]);
    ASSERT_TRUE(set) << each[0] << set.error().to_string();
  }
  EXPECT_EQ(schema.families[0].settings["IN_MEMORY"], "true");
  for (const auto& each : settings) {
    if (std::string(each[0]) != "in_memory") {
      EXPECT_EQ(schema.families[0].settings[each[0]], each[2]);
    }
  }
  expect_refused(schema.check(), ErrorCode::kInvalidArgument, "a prefix filter without a length");
  ASSERT_TRUE(schema.set("f", "RowPrefixBloomFilter.prefix_length", "4"));
  EXPECT_EQ(schema.families[0].configuration.at("RowPrefixBloomFilter.prefix_length"), "4");
  EXPECT_TRUE(schema.check());
  EXPECT_EQ(schema.families[0].versions, 3);
  EXPECT_EQ(schema.families[0].time_to_live_ms, 86'400'000);
  EXPECT_EQ(schema.families[0].keep_deleted, KeepDeletedCells::kTtl);
  EXPECT_EQ(schema.families[0].file_tracker, "FILE");

  const auto options = table::write_options_of(schema.families[0]);
  ASSERT_TRUE(options) << options.error().to_string();
  EXPECT_EQ(options->bloom.type, hfile::BloomType::kRowPrefix);
  EXPECT_EQ(options->bloom.prefix_bytes, 4u);
  EXPECT_EQ(options->compression, hfile::Compression::kGz);
  EXPECT_EQ(options->encoding, hfile::DataEncoding::kFastDiff);
  EXPECT_EQ(options->block_bytes, 8192u);

  const std::string bytes = table::write_table_schema(schema);
  const auto parsed = table::parse_table_schema(bytes, 0);
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->families[0].settings, schema.families[0].settings);
  EXPECT_EQ(parsed->families[0].configuration, schema.families[0].configuration);
  ASSERT_TRUE(schema.set("f", "TTL", "forever"));
  EXPECT_FALSE(schema.families[0].time_to_live_ms);
}

// HBase refuses AUTO, and keeps attributes that it does not know.
TEST(TableSchemaSet, AFilterThatIsChosenIsAnAttributeOfOurOwn) {
  TableSchema schema = schema_of_f();
  ASSERT_TRUE(schema.set("f", "BLOOMFILTER", "ROWCOL"));
  ASSERT_TRUE(schema.set("f", "bloomfilter", "auto"));
  EXPECT_TRUE(schema.check());
  EXPECT_EQ(schema.families[0].settings.at("BLOOMFILTER"), "ROW");
  EXPECT_EQ(schema.families[0].settings.at("BLOOMERY_FILTER"), "AUTO");
  const auto parsed = table::parse_table_schema(table::write_table_schema(schema), 0);
  ASSERT_TRUE(parsed);
  EXPECT_TRUE(parsed->families[0].chooses_filters);
  EXPECT_EQ(table::write_options_of(parsed->families[0])->bloom.type, hfile::BloomType::kRow);
  ASSERT_TRUE(schema.set("f", "BLOOMFILTER", "NONE"));
  EXPECT_FALSE(schema.families[0].settings.contains("BLOOMERY_FILTER"));
  EXPECT_FALSE(schema.families[0].chooses_filters);
  schema.families[0].settings["BLOOMFILTER"] = "AUTO";
  expect_refused(schema.check(), ErrorCode::kUnsupported, "AUTO as BLOOMFILTER");
}

TEST(TableSchemaSet, WhatHBaseRefusesIsRefused) {
  TableSchema schema = schema_of_f();
  const std::vector<std::pair<const char*, const char*>> refused = {
      {"VERSIONS", "0"},
      {"VERSIONS", "2147483648"},
      {"VERSIONS", "x"},
      {"MIN_VERSIONS", "-1"},
      {"TTL", "0"},
      {"TTL", "-1"},
      {"TTL", "30000 DAYS"},
      {"TTL", ""},
      {"BLOOMFILTER", "MAYBE"},
      {"BLOCKSIZE", "1023"},
      {"BLOCKSIZE", "17 MB"},
      {"IN_MEMORY", "yes"},
      {"COMPRESSION", "zip"},
      {"COLOUR", "red"},
      {"SPLITS", "a"},
      {"", ""},
      {"RowPrefixBloomFilter.prefix_length", "0"},
      {"RowPrefixBloomFilter.prefix_length", "32768"},
      {"DATA_BLOCK_ENCODING", "PREFIX_TREE"},
      {"KEEP_DELETED_CELLS", "maybe"}};
  for (const auto& [name, value] : refused) {
    expect_refused(schema.set("f", name, value), ErrorCode::kInvalidArgument, name);
  }
  for (const auto& [name, value] :
       std::vector<std::pair<const char*, const char*>>{{"NEW_VERSION_BEHAVIOR", "true"},
                                                        {"IS_MOB", "true"},
                                                        {"COMPRESSION", "LZO"},
                                                        {"REPLICATION_SCOPE", "1"}}) {
    const Status set = schema.set("f", name, value);
    expect_refused(set, ErrorCode::kUnsupported, name);
    EXPECT_EQ(set.error().subject(), name);
  }
  expect_refused(schema.set("g", "VERSIONS", "1"), ErrorCode::kInvalidArgument, "another family");
  expect_refused(schema.add_family("f"), ErrorCode::kInvalidArgument, "the family again");
  expect_refused(schema.remove_family("g"), ErrorCode::kInvalidArgument, "another family");
  EXPECT_EQ(schema.families[0].settings, schema_of_f().families[0].settings);
  ASSERT_TRUE(schema.set("f", "MIN_VERSIONS", "2"));
  expect_refused(schema.check(), ErrorCode::kInvalidArgument, "fewer VERSIONS than MIN_VERSIONS");
  ASSERT_TRUE(schema.remove_family("f"));
  expect_refused(schema.check(), ErrorCode::kInvalidArgument, "no family");
}

TEST(TableSchemaSet, ATablesAttributesAreChecked) {
  TableSchema schema = schema_of_f();
  EXPECT_TRUE(schema.set("READONLY", "true"));
  EXPECT_TRUE(schema.set("DURABILITY", "sync_wal"));
  EXPECT_TRUE(schema.set("MEMSTORE_FLUSHSIZE", "1 MB"));
  EXPECT_TRUE(schema.set("hbase.hregion.majorcompaction", "0"));
  EXPECT_EQ(schema.settings["DURABILITY"], "SYNC_WAL");
  expect_refused(schema.set("MEMSTORE_FLUSHSIZE", "1023 KB"), ErrorCode::kInvalidArgument, "below 1 MB");
  expect_refused(schema.set("hbase.store.file-tracker.impl", "DEFAULT"), ErrorCode::kUnsupported, "tracker");
  EXPECT_TRUE(schema.check());
  schema.settings["coprocessor$1"] = "|C|1|";
  expect_refused(schema.check(), ErrorCode::kUnsupported, "a coprocessor");
}

TEST(TableSchemaNames, AreThoseOfHBase) {
  for (const char* const name : {"t", "a.b", "a-b", "_a", "x:y", "9"}) {
    EXPECT_TRUE(TableSchema::of_table(name)) << name;
  }
  for (const char* const name : {"", "-a", ".a", "zookeeper", "a b", "ns-x:y", "a$", "ns.x:y", ":a",
                                 "a:", "a/b", "hbase:meta", "a:b:c", ".."}) {
    const auto schema = TableSchema::of_table(name);
    ASSERT_FALSE(schema) << name;
    EXPECT_EQ(schema.error().code(), ErrorCode::kInvalidArgument) << name;
  }
  EXPECT_FALSE(TableSchema::of_table(std::string(256, 'a')));
  for (const char* const name : {"f", "f g", "-", "_"}) {
    EXPECT_TRUE(table::check_family_name(name)) << name;
  }
  for (const char* const name : {"", ".f", "f:", "f/g", "recovered.edits", "f\\", "f\x01"}) {
    EXPECT_FALSE(table::check_family_name(name)) << name;
  }
}

}  // namespace
}  // namespace bloomery
