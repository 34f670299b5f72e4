// Lists the files of a family in a region of a live table.
//
// The tracker of the family decides:
//
//   DEFAULT    all files of the directory count whose names have a form of store_file_name.h, except empty
//              ones that are no links: an empty store file lost its cells
//   FILE       only the files that the newest list in .filelist names
//
// tracker_list.h reads the lists. Source: HBase 2.6, DefaultStoreFileTracker, FileBasedStoreFileTracker.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/table/table_schema.h"
#include "table/layout/root_directory.h"
#include "table/layout/store_file_path.h"

namespace bloomery::table {

struct StoreDirectoryPlace {
  const RootDirectory& root;
  TableName table;
  std::string region;
};

// Errors: kUnsupported for an unknown tracker; kCorruption of lists and references; kNotFound for the target
// of a link, a reference or a list. Unless `faults` is null, errors of lists and of single files are added to
// it instead. Files with other names cause a warning, and so do emptied ones if `faults` is null.
Result<std::vector<StoreFilePath>> list_store(const StoreDirectoryPlace& place, const FamilySchema& family,
                                              std::vector<std::string>& warnings, std::vector<Error>* faults);

// Returns true if the error is a fault of the table, and not of this reader or machine.
bool is_table_fault(const Error& error);

// Returns the fault of an empty store file.
Error emptied_file(const std::string& path);

// Adds a file that was found to `files`. If `faults` is not null, damage and missing files are added to it.
[[nodiscard]] Status add_found(Result<StoreFilePath> found, std::vector<StoreFilePath>& files,
                               std::vector<Error>* faults);

// Returns the file that a name in the directory refers to, or nothing for a name of another form.
std::optional<StoreFilePlace> target_of(const TableName& table, const std::string& region,
                                        const std::string& name);

// Finds the file that a name refers to. `half` is the content of a reference, if it is already known.
Result<StoreFilePath> find_store_file(const StoreDirectoryPlace& place, const std::string& family,
                                      const std::string& name, std::optional<FileHalf> half);

}  // namespace bloomery::table
