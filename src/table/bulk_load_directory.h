// A directory to bulk load from, DIR/FAMILY/FILE, whose new files appear together once all are complete.
//
//   DIR/.bloomery.RANDOM/FAMILY/FILE     the staging folder, where files are written
//   DIR/FAMILY/FILE                      where commit() renames them to
//
// commit() renames a family's folder if DIR has no such family, and otherwise file by file. If a rename
// fails, the renames before it are undone.
//
// Until commit(), HBase does not see the new files: it skips families whose names begin with a period.
// Without commit(), the destructor removes everything, and DIR too if create() made it.
//
// After kill -9 the staging folder remains. A kill during commit() also leaves what was renamed so far:
// complete families, and of a family that DIR already had perhaps only some of the new files.
//
// Thread-safe.
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
  // Makes DIR, if it does not exist, and the staging folder in it. Errors: kIo.
  static Result<std::unique_ptr<LoadDirectory>> create(const std::string& path, FamilyFiles existing);
  LoadDirectory(const LoadDirectory&) = delete;
  LoadDirectory& operator=(const LoadDirectory&) = delete;
  ~LoadDirectory();

  // Returns the path of a new file of the family; its name is 32 random hex digits. Errors: kInvalidArgument
  // for a name that no family can have, and for a family that has files already; kIo.
  Result<std::string> new_file(const std::string& family);
  // Renames all families into DIR. Call it once, after all files are written.
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
  bool is_ours_;  // DIR did not exist before
  FamilyFiles existing_;
  std::mutex mutex_;
  std::set<std::string> families_;
};

}  // namespace bloomery::table
