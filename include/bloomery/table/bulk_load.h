// Cells in the order of a scan become HFiles that HBase loads: DIR/FAMILY/FILE, all at once or none.
//
//   BulkLoadDirectory::create   BulkLoadWriter(directory, plan)   append* finish   directory.commit
//
// Nothing of a run is where HBase would look until commit(). Several writers, on a thread each, may share a
// directory: one for each region, say.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/hfile/cell.h"
#include "bloomery/hfile/hfile_writer.h"

namespace bloomery {

namespace table {
class LoadDirectory;
class LoadWriter;
}  // namespace table

// The rows at which a table's regions begin, but for the first, and in which region a row is.
//
//   region 0 | key 0, region 1 | key 1, region 2 | ...        a key is the first row that its region can have
class SplitKeys {
 public:
  // No keys: one region.
  SplitKeys() = default;

  // The next key. Errors: kInvalidArgument without a subject for one that is empty, too long for a row or not
  // behind the one before.
  Status append(std::string_view row);

  std::size_t region_count() const { return keys_.size() + 1; }
  // Of the row, which is not before region `from`.
  std::size_t region_of(std::string_view row, std::size_t from = 0) const;
  // The first row that a region can have. Precondition: not the first region.
  std::string_view start_of(std::size_t region) const { return keys_[region - 1]; }

 private:
  std::vector<std::string> keys_;
};

// What is done with families of which the directory has files already.
enum class FamilyFiles {
  kRefuse,
  kAdd,  // new files come beside them
};

// A directory to load from, whose new files appear together. What is there before commit() lies below a name
// that begins with a period, which HBase skips. Without commit() all of it is removed, and the directory too
// if it was made here; when commit() fails nothing has appeared. A killed process leaves the folder with the
// period, and between two renames of commit() a first family, whole. Thread-safe.
class BulkLoadDirectory {
 public:
  // Makes the directory unless it is there. Errors: kIo when it can not be made or written.
  static Result<BulkLoadDirectory> create(const std::string& path,
                                          FamilyFiles existing = FamilyFiles::kRefuse);
  BulkLoadDirectory(BulkLoadDirectory&&) noexcept;
  BulkLoadDirectory& operator=(BulkLoadDirectory&&) noexcept;
  ~BulkLoadDirectory();

  // Once, when all writers have finished. Errors: kInvalidArgument for a family that has got files meanwhile;
  // kIo.
  Status commit();

 private:
  friend class BulkLoadWriter;
  explicit BulkLoadDirectory(std::unique_ptr<table::LoadDirectory> state);

  std::unique_ptr<table::LoadDirectory> state_;
};

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

// Writes one file for each family and region, and a next one where one is large. Rows ascend over all
// families; within a row the cells of one family are in HBase's order, and families may take turns. Names of
// files are 32 hex digits, drawn. One thread at a time. Cost of memory and time: that of an HFileWriter for
// each family.
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
