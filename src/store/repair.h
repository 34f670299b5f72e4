// Saves what is whole of a damaged store, and names what is lost.
//
//   STORE      made anew: the checksums of descriptors are those of what is there
//   lists      a damaged one leaves; the files of the directory are listed, and what the other list names
//   files      what can be read goes to a new file; a file that cannot be opened, or is gone, leaves the list
//   logs       the entries that can be read go to files, and a new log begins
//
// A damaged descriptor or .regioninfo is named and left: their attributes and borders decide what other files
// mean. Nothing is lost by the repair itself: each original is linked to .bloomery/damaged/, under its path
// of the root, before it leaves. An interrupted repair is run again.
//
// What was lost may have been a delete marker, so that older cells of the same rows are seen again.
#pragma once

#include <string>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/store/store_options.h"
#include "store/environment.h"

namespace bloomery::store {

struct RepairNote {
  std::string path = {};
  Error damage;
  // What is lost or unsure, one sentence each. Empty if nothing is.
  std::vector<std::string> losses = {};
  std::string remedy = {};  // what a person must do; empty if it is mended
};

struct RepairReport {
  std::vector<RepairNote> notes = {};
  bool is_whole() const { return notes.empty(); }
};

// Without `writes` it only says what it would do. Nobody has the store open. Errors: kInvalidArgument if no
// store made the root; kIo, with EWOULDBLOCK if another process has it open, or if the disk refuses;
// kUnsupported for a later version; kCorruption with `writes`, if the store still cannot be opened.
Result<RepairReport> repair_store(const Environment& environment, const std::string& root,
                                  const StoreOptions& options, bool writes);

}  // namespace bloomery::store
