// A directory to bulk load from, DIR/FAMILY/FILE, whose new files appear together, when all are whole.
//
//   DIR/.bloomery.RANDOM/FAMILY/FILE        until commit(), which renames: the folder of a family that DIR has
//                                          not, and file by file into one that it has
//
// Until commit() nothing of the run is where HBase would look: it skips families that begin with a period.
// When a rename fails those before are taken back. Without commit() everything is removed, DIR too if it was
// made here. A kill -9 leaves the folder with the period; between the renames of two families it can leave
// the first family in place, whole. Thread-safe.
#pragma once

#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/table/bulk_load_directory.h"

namespace bloomery::table {

class LoadDirectory {
 public:
  // Errors: kIo when it can not be made or written.
  static Result<std::unique_ptr<LoadDirectory>> create(const std::string& path, FamilyFiles existing);
  LoadDirectory(const LoadDirectory&) = delete;
  LoadDirectory& operator=(const LoadDirectory&) = delete;
  ~LoadDirectory();

  // Where to write a new file of the family; its name is 32 hex digits, drawn. Errors: kInvalidArgument for a
  // name that no family can have, or a family that has files already; kIo.
  Result<std::string> new_file(const std::string& family);
  // Once, when all files are written.
  Status commit();

 private:
  using Moves = std::vector<std::pair<std::string, std::string>>;  // from, to

  LoadDirectory(std::string path, std::string staging, bool is_ours, FamilyFiles existing)
      : path_(std::move(path)), staging_(std::move(staging)), is_ours_(is_ours), existing_(existing) {}

  Status check_target(const std::string& target) const;
  Status begin_family(const std::string& family);
  Result<Moves> planned_moves() const;
  Status move_all(const Moves& moves);
  void remove_what_is_left();

  std::string path_;
  std::string staging_;
  bool is_ours_;  // did not exist before
  FamilyFiles existing_;
  std::mutex mutex_;
  std::set<std::string> families_;
};

}  // namespace bloomery::table
