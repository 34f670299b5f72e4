// A directory for a bulk load, whose new files appear together. bulk_load.h has an example.
//
// Before commit() the files are below a name that begins with a period, which HBase skips. Without commit()
// all of them are removed, and so is the directory if create() made it. If a rename fails, commit() undoes
// the renames before it. If only the fsync of a new directory's parent fails, the files are there. A killed
// process leaves the folder with the period. A kill during commit() also leaves what was renamed so far:
// complete families, and of a family that the directory already had perhaps only some of the new files.
//
// Thread-safe.
#pragma once

#include <memory>
#include <string>

#include "bloomery/base/result.h"

namespace bloomery {

namespace table {
class LoadDirectory;
}  // namespace table

// The treatment of families that already have files in the directory.
enum class FamilyFiles {
  kRefuse,
  kAdd,  // new files are added to them
};

class BulkLoadDirectory {
 public:
  // Makes the directory unless it exists. Errors: kIo if it cannot be made or written.
  static Result<BulkLoadDirectory> create(const std::string& path,
                                          FamilyFiles existing = FamilyFiles::kRefuse);
  BulkLoadDirectory(BulkLoadDirectory&&) noexcept;
  BulkLoadDirectory& operator=(BulkLoadDirectory&&) noexcept;
  ~BulkLoadDirectory();

  // Call it once, after all writers have finished. Errors: kInvalidArgument for a family that has got files
  // in the meantime; kIo.
  Status commit();

 private:
  friend class BulkLoadWriter;
  explicit BulkLoadDirectory(std::unique_ptr<table::LoadDirectory> state);

  std::unique_ptr<table::LoadDirectory> state_;
};

}  // namespace bloomery
