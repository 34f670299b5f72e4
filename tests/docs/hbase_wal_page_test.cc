// The worked example of docs/formats/hbase-wal.md is a sealed log, and is what the text says.
#include <gtest/gtest.h>

#include "page_example.h"
#include "tests/hfile/memory_files.h"
#include "wal/log_reader.h"
#include "wal/log_writer.h"

namespace bloomery {
namespace {

TEST(HBaseWalPage, ItsExampleIsTheLogItDescribes) {
  const std::string example = page_example("hbase-wal.md");
  MemoryFiles files(example);
  auto reader = wal::LogReader::open(files, "log", {});
  ASSERT_TRUE(reader) << reader.error().to_string();
  EXPECT_EQ(reader->header().seal, (wal::Seal{.previous = 0, .link = 0x419b0e77}));
  ASSERT_TRUE(reader->next().value_or(false));
  const wal::LogEntry& entry = reader->entry();
  EXPECT_EQ(entry.region, "1b2a3c4d5e6f708192a3b4c5d6e7f809");
  EXPECT_EQ(entry.table, "t");
  EXPECT_EQ(entry.sequence_id, 4u);
  EXPECT_EQ(entry.write_time, 1700000000000u);
  ASSERT_EQ(entry.cells.size(), 1u);
  EXPECT_EQ(entry.cells[0].key, (CellKey{"row", "f", "q", 1700000000000, CellType::kPut}));
  EXPECT_EQ(entry.cells[0].value, "value");
  EXPECT_EQ(reader->link(), 0xfaf9ecdb);
  hfile::ByteWriter out;
  wal::LogHeader header;
  header.seal = wal::Seal{};
  wal::LogWriter writer(out, header);
  ASSERT_TRUE(writer.append(entry));
  writer.close();
  EXPECT_EQ(out.text(), example);
  EXPECT_FALSE(reader->next().value_or(true));
  EXPECT_EQ(reader->end().kind, wal::LogEndKind::kClosed);
  ASSERT_TRUE(reader->trailer());
  EXPECT_EQ(reader->trailer()->entries, 1u);
  EXPECT_EQ(reader->trailer()->seal, (wal::Seal{.previous = 0xfaf9ecdb, .link = 0xf7fd409b}));
}

}  // namespace
}  // namespace bloomery
