// Writes one HFile for each family and region, and another one when a file is full. bulk_load.h has an
// example.
//
// Rows ascend over all families. Within a row the cells of one family are in HBase's order, and families may
// alternate. File names are 32 random hex digits. One thread at a time. Each family costs the memory and time
// of an HFileWriter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "bloomery/base/result.h"
#include "bloomery/hfile/cell.h"
#include "bloomery/hfile/hfile_writer.h"
#include "bloomery/table/bulk_load_directory.h"
#include "bloomery/table/split_keys.h"

namespace bloomery {

namespace table {
class LoadWriter;
}  // namespace table

struct BulkLoadPlan {
  HFileWriteOptions file = {.purpose = HFilePurpose::kBulkLoad};
  // A file ends before a row whose first cell would make it reach this size. Rows are not split, so a large
  // row can exceed it. The size is counted as HBase's HFileOutputFormat2 does: keys and values, not
  // compressed; hbase.hregion.max.filesize.
  std::uint64_t max_file_bytes = std::uint64_t{10} << 30;
  SplitKeys splits = {};

  // Errors: kInvalidArgument for an option that no file can have, by name.
  Status check() const;
};

struct BulkLoadCounts {
  std::uint64_t cells = 0;
  std::uint64_t rows = 0;
  std::uint64_t files = 0;
  std::uint64_t file_bytes = 0;

  BulkLoadCounts& operator+=(const BulkLoadCounts& other);
};

class BulkLoadWriter {
 public:
  // Keeps references; both objects must outlive the writer and must not move.
  BulkLoadWriter(BulkLoadDirectory& directory, const BulkLoadPlan& plan);
  BulkLoadWriter(BulkLoadWriter&&) noexcept;
  BulkLoadWriter& operator=(BulkLoadWriter&&) noexcept;
  ~BulkLoadWriter();

  // Makes append() refuse rows of other regions. Call it before the first cell.
  void expect_region(std::size_t region);

  // Appends a cell. After any error the files are lost.
  //
  //   kInvalidArgument, kCapacity   without a subject: the cell, or the name of its family, is refused
  //   kInvalidArgument              with the family's folder as its subject: the family has files already
  //   others                        the errors of HFileWriter
  Status append(const Cell& cell);
  // Finishes the files.
  Status finish();

  const BulkLoadCounts& counts() const;

 private:
  std::unique_ptr<table::LoadWriter> state_;
};

}  // namespace bloomery
