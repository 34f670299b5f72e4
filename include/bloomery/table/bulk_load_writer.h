// Writes one file for each family and region, and a next one where one is large. Rows ascend over all
// families; within a row the cells of one family are in HBase's order, and families may take turns. Names of
// files are 32 hex digits, drawn. One thread at a time. Cost of memory and time: that of an HFileWriter for
// each family.
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
  // A file ends before a row that makes it larger, counted as HBase's HFileOutputFormat2 does (keys and
  // values, not compressed; hbase.hregion.max.filesize).
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
  // Keeps references; both outlive it, in their places.
  BulkLoadWriter(BulkLoadDirectory& directory, const BulkLoadPlan& plan);
  BulkLoadWriter(BulkLoadWriter&&) noexcept;
  BulkLoadWriter& operator=(BulkLoadWriter&&) noexcept;
  ~BulkLoadWriter();

  // Only rows of the region are expected from now on. To be called before the first cell.
  void expect_region(std::size_t region);

  // Errors: kInvalidArgument and kCapacity without a subject for a cell that can not be there;
  // kInvalidArgument for a family that can not be or has files already; those of HFileWriter. After any of
  // them the files are lost.
  Status append(const Cell& cell);
  // Ends the files.
  Status finish();

  const BulkLoadCounts& counts() const;

 private:
  std::unique_ptr<table::LoadWriter> state_;
};

}  // namespace bloomery
