// Lists the files of a family in a region of a live table.
//
// The tracker of the family decides:
//
//   DEFAULT    all files of the directory count whose names have a form of store_file_name.h, except empty
//              ones that are no links: an empty store file lost its cells
//   FILE       only the files that the newest list in .filelist names
//
// A list is a file fK.N with K of 1 or 2: i32 length | message | i32 CRC-32 of the message. The list with the
// greatest N that has a file which is not truncated wins; of two such files the later timestamp wins.
//
// Source: HBase 2.6, DefaultStoreFileTracker, FileBasedStoreFileTracker, StoreFileListFile.
#pragma once

#include <optional>
#include <string>
#include <string_view>
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

// Finds the file that a name refers to. `half` is the content of a reference, if it is already known.
Result<StoreFilePath> find_store_file(const StoreDirectoryPlace& place, const std::string& family,
                                      const std::string& name, std::optional<FileHalf> half);

// Parses a tracker's list. Returns nothing for a truncated file, such as one that is being written. Errors:
// kCorruption; kUnsupported for a later version.
Result<std::optional<TrackedFiles>> parse_tracker_list(std::string_view bytes);

}  // namespace bloomery::table
