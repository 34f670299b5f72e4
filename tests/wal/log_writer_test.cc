// A reader returns every field that a writer wrote.
#include "wal/log_writer.h"

#include <gtest/gtest.h>

#include "tests/wal/golden_logs.h"
#include "tests/wal/sealed_logs.h"

namespace bloomery {
namespace {

using wal::LogEntry;

LogEntry full_entry() {
  LogEntry entry{
      .region = "1588230740", .table = "hbase:meta", .sequence_id = ~std::uint64_t{0}, .write_time = 5};
  entry.scopes = {{"f", 1}, {"g", 2}};
  entry.cluster_ids = {{1, ~std::uint64_t{0}}, {3, 4}};
  entry.nonce_group = 6;
  entry.nonce = 7;
  entry.original_sequence_id = 8;
  entry.attributes = {{"other", "value"}, {"empty", ""}};
  entry.cells.push_back({.key = {"r", "f", "", -1, CellType::kDeleteFamily}});
  entry.cells.push_back({.key = {"", "", "q", 0, CellType::kPut}, .value = "v", .tags = {"\0\2\1t", 4}});
  return entry;
}

void expect_read_again(std::optional<wal::Seal> seal) {
  wal::LogHeader header;
  header.seal = seal;
  hfile::ByteWriter out;
  wal::LogWriter writer(out, header);
  const LogEntry written = full_entry();
  ASSERT_TRUE(writer.append(written));
  writer.close();
  const std::string bytes(out.text());
  MemoryFiles files(bytes);
  auto reader = opened_log(files, "log");
  ASSERT_TRUE(reader) << reader.error().to_string();
  EXPECT_EQ(reader->is_sealed(), seal.has_value());
  const auto error = read_all(*reader, [&](const LogEntry& entry) {
    EXPECT_EQ(entry.region, written.region);
    EXPECT_EQ(entry.table, written.table);
    EXPECT_EQ(entry.sequence_id, written.sequence_id);
    EXPECT_EQ(entry.write_time, written.write_time);
    EXPECT_EQ(entry.scopes, written.scopes);
    EXPECT_EQ(entry.cluster_ids, written.cluster_ids);
    EXPECT_EQ(entry.nonce_group, written.nonce_group);
    EXPECT_EQ(entry.nonce, written.nonce);
    EXPECT_EQ(entry.original_sequence_id, written.original_sequence_id);
    EXPECT_EQ(entry.attributes, written.attributes);
    ASSERT_EQ(entry.cells.size(), 2u);
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(entry.cells[i].key, written.cells[i].key);
      EXPECT_EQ(entry.cells[i].value, written.cells[i].value);
      EXPECT_EQ(entry.cells[i].tags, written.cells[i].tags);
      EXPECT_EQ(entry.cells[i].mvcc, 8);
    }
  });
  EXPECT_FALSE(error) << error->to_string();
  EXPECT_EQ(reader->end().kind, wal::LogEndKind::kClosed);
}

TEST(LogWriter, EveryFieldIsReadAgain) {
  expect_read_again(std::nullopt);
}

TEST(LogWriter, EveryFieldOfASealedLogIsReadAgain) {
  expect_read_again(wal::Seal{.previous = 9});
}

// An entry that carries the seal of another log gets a new one.
TEST(LogWriter, AnOldSealIsReplaced) {
  wal::LogHeader header;
  header.seal = wal::Seal{};
  hfile::ByteWriter out;
  wal::LogWriter writer(out, header);
  LogEntry entry = full_entry();
  entry.attributes = {{wal::kSealName, "12345678"}};
  ASSERT_TRUE(writer.append(entry));
  const std::string bytes(out.text());
  MemoryFiles files(bytes);
  auto reader = opened_log(files, "log");
  ASSERT_TRUE(reader);
  EXPECT_FALSE(read_all(*reader, [](const LogEntry& read) { EXPECT_TRUE(read.attributes.empty()); }));
  EXPECT_EQ(reader->entries(), 1u);
}

TEST(LogWriter, WhatDoesNotFitIsRefused) {
  hfile::ByteWriter out;
  wal::LogWriter writer(out);
  const std::size_t size = out.size();
  const std::string long_row(32768, 'r');
  const std::string long_family(128, 'f');
  const std::string long_tags(65536, 't');
  LogEntry entry = full_entry();
  entry.cells.resize(1);
  const Cell cell = entry.cells[0];
  entry.cells[0].key.row = long_row;
  EXPECT_FALSE(writer.append(entry));
  entry.cells[0] = cell;
  entry.cells[0].key.family = long_family;
  EXPECT_FALSE(writer.append(entry));
  entry.cells[0] = cell;
  entry.cells[0].tags = long_tags;
  EXPECT_FALSE(writer.append(entry));
  entry.cells[0] = cell;
  entry.table = "";
  EXPECT_FALSE(writer.append(entry));
  entry.table = "t";
  entry.region = "";
  EXPECT_FALSE(writer.append(entry));
  EXPECT_EQ(out.size(), size);
  EXPECT_EQ(writer.entries(), 0u);
}

// The seal of an entry adds 22 bytes to the key, and nothing else.
TEST(LogWriter, ASealAddsAnAttribute) {
  hfile::ByteWriter plain;
  wal::LogWriter writer(plain);
  const auto entries = owned_entries(1);
  ASSERT_TRUE(writer.append(entries[0].entry()));
  const SealedLog sealed = sealed_log(entries, Closing::kOpen);
  EXPECT_EQ(sealed.bytes.size(), plain.size() + 11 + wal::kSealAttributeBytes);
  EXPECT_EQ(wal::kSealAttributeBytes, 22u);
}

}  // namespace
}  // namespace bloomery
