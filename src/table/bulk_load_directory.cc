#include "table/bulk_load_directory.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "base/directory.h"
#include "base/file.h"
#include "base/message.h"
#include "base/temporary_name.h"
#include "table/layout/legal_names.h"

namespace bloomery {
namespace table {
namespace {

namespace fs = std::filesystem;

// Returns the name of a file that HBase would load from the folder, or an empty string. HBase skips names
// that begin with "_".
Result<std::string> first_file_in(const std::string& folder) {
  BLOOMERY_ASSIGN_OR_RETURN(const std::vector<DirectoryEntry> entries, list_directory(folder));
  const auto found =
      std::ranges::find_if(entries, [](const DirectoryEntry& entry) { return entry.name.front() != '_'; });
  return found == entries.end() ? std::string() : found->name;
}

Status make_folder(const std::string& path) {
  return ::mkdir(path.c_str(), 0777) == 0 ? Status() : Error::io(path, "make directory", errno);
}

}  // namespace

Result<std::unique_ptr<LoadDirectory>> LoadDirectory::create(const std::string& path, FamilyFiles existing) {
  const Status made = make_folder(path);
  if (!made && made.error().errno_value() != EEXIST) {
    return made.error();
  }
  for (int tries = 0;; ++tries) {
    const std::string staging = temporary_name(path + "/.bloomery.");
    const Status begun = make_folder(staging);
    if (begun) {
      return std::unique_ptr<LoadDirectory>(new LoadDirectory(path, staging, made.has_value(), existing));
    }
    if (begun.error().errno_value() != EEXIST || tries + 1 == kTemporaryNameTries) {
      return begun.error();
    }
  }
}

LoadDirectory::~LoadDirectory() {
  remove_what_is_left();
}

// Removes the staging folder, which is empty after a commit of complete families. Removes DIR if this run
// made it and it is empty.
void LoadDirectory::remove_what_is_left() {
  constexpr int kTries = 3;  // a failed or interrupted call may succeed the next time
  std::error_code error = std::make_error_code(std::errc::interrupted);
  for (int i = 0; i < kTries && error; ++i) {
    fs::remove_all(staging_, error);
  }
  if (is_ours_) {
    (void)::rmdir(path_.c_str());  // fails if DIR is not empty, as intended
  }
}

// Checks that the family has no files in the target folder, unless FamilyFiles::kAdd allows them.
Status LoadDirectory::check_target(const std::string& target) const {
  std::error_code error;
  if (existing_ == FamilyFiles::kAdd || !fs::exists(target, error)) {
    return {};
  }
  BLOOMERY_ASSIGN_OR_RETURN(const std::string found, first_file_in(target));
  return found.empty() ? Status()
                       : Error::invalid_argument(
                             target, message("expected no files of this family (--add adds to them), found '",
                                             found, "'"));
}

// Checks the family's name and target folder before its first file is written, and makes its staging folder.
Status LoadDirectory::begin_family(const std::string& family) {
  BLOOMERY_RETURN_IF_ERROR(check_family_name(family));
  BLOOMERY_RETURN_IF_ERROR(check_target(path_ + "/" + family));
  BLOOMERY_RETURN_IF_ERROR(make_folder(staging_ + "/" + family));
  families_.insert(family);
  return {};
}

Result<std::string> LoadDirectory::new_file(const std::string& family) {
  const std::lock_guard lock(mutex_);
  if (!families_.contains(family)) {
    BLOOMERY_RETURN_IF_ERROR(begin_family(family));
  }
  return message(staging_, "/", family, "/", random_digits(32));
}

// Lists the renames: a family's folder if DIR has no such folder, and otherwise each of its files.
Result<LoadDirectory::Moves> LoadDirectory::planned_moves() const {
  Moves moves;
  for (const std::string& family : families_) {
    const std::string from = staging_ + "/" + family;
    const std::string to = path_ + "/" + family;
    std::error_code error;
    BLOOMERY_RETURN_IF_ERROR(check_target(to));  // checked again: another process may have written files
    if (!fs::exists(to, error)) {
      moves.emplace_back(from, to);
      continue;
    }
    BLOOMERY_ASSIGN_OR_RETURN(const std::vector<DirectoryEntry> files, list_directory(from));
    for (const DirectoryEntry& file : files) {
      moves.emplace_back(message(from, "/", file.name), message(to, "/", file.name));
    }
  }
  return moves;
}

// Renames in the order of the list, and makes each rename durable. After an error it undoes the renames so
// far.
Status LoadDirectory::move_all(const Moves& moves) {
  FileSystem& files = FileSystem::real();
  Status moved;
  std::size_t done = 0;
  while (moved && done < moves.size()) {
    const auto& [from, to] = moves[done];
    moved = files.rename(from, to);
    if (moved) {
      ++done;
      moved = files.sync_directory_of(to);
    }
  }
  for (; !moved && done > 0; --done) {
    (void)files.rename(moves[done - 1].second, moves[done - 1].first);
  }
  return moved;
}

Status LoadDirectory::commit() {
  const std::lock_guard lock(mutex_);
  BLOOMERY_ASSIGN_OR_RETURN(const Moves moves, planned_moves());
  BLOOMERY_RETURN_IF_ERROR(move_all(moves));
  return is_ours_ ? FileSystem::real().sync_directory_of(path_) : Status();
}

}  // namespace table

BulkLoadDirectory::BulkLoadDirectory(std::unique_ptr<table::LoadDirectory> state)
    : state_(std::move(state)) {}
BulkLoadDirectory::BulkLoadDirectory(BulkLoadDirectory&&) noexcept = default;
BulkLoadDirectory& BulkLoadDirectory::operator=(BulkLoadDirectory&&) noexcept = default;
BulkLoadDirectory::~BulkLoadDirectory() = default;

Result<BulkLoadDirectory> BulkLoadDirectory::create(const std::string& path, FamilyFiles existing) {
  BLOOMERY_ASSIGN_OR_RETURN(auto state, table::LoadDirectory::create(path, existing));
  return BulkLoadDirectory(std::move(state));
}

Status BulkLoadDirectory::commit() {
  return state_->commit();
}

}  // namespace bloomery
