// Lists the files of a family in a region of a live table.
//
// The tracker of the family decides:
//
//   DEFAULT    all files of the directory count, except empty ones that are no links, and names with a - that
//              are neither links nor references; an empty store file lost its cells
//   FILE       only the files that the newest list in .filelist names
//
// A list is a file fK.N with K of 1 or 2: i32 length | message | i32 CRC-32 of the message. The greatest N
// of which a file is whole wins, and of two the one with the later timestamp.
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

// Errors: kUnsupported for an unknown tracker; kCorruption of lists and references; kNotFound for a file that
// a link, a reference or a list names. Unless `faults` is null, those of lists and of single files go there instead.
// Files with other names are warned of, and so are emptied ones where `faults` is null.
Result<std::vector<StoreFilePath>> list_store(const StoreDirectoryPlace& place, const FamilySchema& family,
                                              std::vector<std::string>& warnings, std::vector<Error>* faults);

// Returns true if the error is a fault of the table, and not of this reader or machine.
bool is_table_fault(const Error& error);

// The fault of a store file without a byte.
Error emptied_file(const std::string& path);

// Adds a file that was found to `files`. An error that is damage or a missing file goes to `faults`, unless that is null.
[[nodiscard]] Status add_found(Result<StoreFilePath> found, std::vector<StoreFilePath>& files,
                               std::vector<Error>* faults);

// Finds the file that a name stands for. `half` is the content of a reference, if it is known already.
Result<StoreFilePath> find_store_file(const StoreDirectoryPlace& place, const std::string& family,
                                      const std::string& name, std::optional<FileHalf> half);

// Parses a tracker's list. Returns nothing for a file that is cut, as one that is being written is. Errors:
// kCorruption; kUnsupported for a later version.
Result<std::optional<TrackedFiles>> parse_tracker_list(std::string_view bytes);

}  // namespace bloomery::table
