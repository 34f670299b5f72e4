// A table that was made here, with files that HFileWriter wrote and FileList lists, is read as HBase's are.
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "bloomery/table/table.h"
#include "table/layout/family_write_options.h"
#include "table/layout/file_list.h"
#include "table/layout/table_directory.h"
#include "tests/base/test_folder.h"
#include "tests/hfile/written.h"

namespace bloomery {
namespace {

const std::string kFile = "0123456789abcdef0123456789abcdef";

TEST(CreatedTable, IsReadByOpenTable) {
  const TestFolder folder;
  FileSystem& disk = FileSystem::real();
  ASSERT_TRUE(table::make_root_directories(disk, folder.path("")));
  TableSchema schema = TableSchema::of_table("t").value();
  ASSERT_TRUE(schema.add_family("f"));
  ASSERT_TRUE(schema.set("f", "BLOOMFILTER", "ROWCOL"));
  ASSERT_TRUE(schema.set("f", "COMPRESSION", "GZ"));
  SplitKeys splits;
  ASSERT_TRUE(splits.append("m"));
  ASSERT_TRUE(table::create_table(disk, folder.path(""), schema, splits, 1700000000000));

  const auto empty = Table::open_table(folder.path(""), "t");
  ASSERT_TRUE(empty) << empty.error().to_string();
  EXPECT_TRUE(empty->warnings().empty());
  ASSERT_EQ(empty->regions().size(), 2u);
  const std::string directory = folder.path("data/default/t/" + empty->regions()[1].name + "/f");

  const auto options = table::write_options_of(empty->schema().families[0]);
  ASSERT_TRUE(options) << options.error().to_string();
  const std::string path = directory + "/" + kFile;
  ASSERT_TRUE(write_cells(
      path, *options,
      {{.row = "n", .family = "f", .qualifier = "q", .timestamp = 5, .value = "a value", .mvcc = 1}}));
  ASSERT_TRUE(
      write_cells(directory + "/fedcba9876543210fedcba9876543210", *options,
                  {{.row = "o", .family = "f", .qualifier = "q", .timestamp = 5, .value = "not listed"}}));
  auto list = table::FileList::open(disk, directory, 7);
  ASSERT_TRUE(list) << list.error().to_string();
  ASSERT_TRUE(list->update({{kFile, file_bytes(path).size()}}, 7));

  const auto read = Table::open_table(folder.path(""), "t");
  ASSERT_TRUE(read) << read.error().to_string();
  auto scanner = read->scan({});
  ASSERT_TRUE(scanner);
  std::string rows;
  for (;;) {
    const auto found = scanner->next();
    ASSERT_TRUE(found) << found.error().to_string();
    if (!*found) {
      break;
    }
    for (const KeptCell& kept : scanner->result().cells()) {
      rows += std::string(kept.cell().key.row) + "=" + std::string(kept.cell().value) + " ";
    }
  }
  EXPECT_EQ(rows, "n=a value ");
}

}  // namespace
}  // namespace bloomery
