// A directory to load from, whose new files appear together. What is there before commit() lies below a name
// that begins with a period, which HBase skips. Without commit() all of it is removed, and the directory too
// if it was made here; when commit() fails nothing has appeared. A killed process leaves the folder with the
// period, and between two renames of commit() a first family, whole. Thread-safe.
#pragma once

#include <memory>
#include <string>

#include "bloomery/base/result.h"

namespace bloomery {

namespace table {
class LoadDirectory;
}  // namespace table

// What is done with families of which the directory has files already.
enum class FamilyFiles {
  kRefuse,
  kAdd,  // new files come beside them
};

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

}  // namespace bloomery
