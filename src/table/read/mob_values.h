// Large values that HBase stores in separate files (MOB).
//
// A cell with a tag of type 5 has a reference instead of its value:
//
//   i32 length of the real value | name of the file
//
// The tag of type 6 names the table that wrote it. The file is in the directory of that table's MOB region,
// below mobdir, or in the archive. The value is that of the put with the same row, family, qualifier and
// timestamp.
//
// Source: HBase 2.6, MobUtils, HMobStore. Threads: one at a time.
#pragma once

#include <map>
#include <string>

#include "bloomery/base/file_memory.h"
#include "bloomery/base/result.h"
#include "bloomery/hfile/cell.h"
#include "bloomery/table/row_result.h"
#include "hfile/recognition.h"
#include "table/layout/root_directory.h"

namespace bloomery::table {

class MobValues {
 public:
  // The root may be null; then every reference is an error. It must outlive the object.
  MobValues(const RootDirectory* root, TableName table, const FileMemory& memory)
      : root_(root), table_(std::move(table)), memory_(memory) {}

  static bool is_reference(const Cell& cell);
  // Appends the cell with the value that it refers to. Precondition: is_reference(cell). Errors: kNotFound if
  // the file or the cell in it is missing; kCorruption; those of HFileScanner.
  Status append(const Cell& cell, RowResult& result);

 private:
  Result<hfile::OpenFilePointer> open(const TableName& writer, const std::string& family,
                                      const std::string& name);

  const RootDirectory* root_;
  TableName table_;
  FileMemory memory_;
  std::map<std::string, hfile::OpenFilePointer> files_;  // by table, family and name
};

}  // namespace bloomery::table
