// A compaction: files of a family become one file with the cells that a read can still see.
//
//   step()*    merges a part of the cells into a new file, so that flushes and writers have their turns
//              between; then it syncs the file, gives it its name, opens it, and reads it into the cache
//   prepare()  puts the new file in the place of the old ones
//   install()  the tracker's list names the new file in place of the old ones, in one atomic step
//   remove_inputs()   the old files leave the directory; whoever reads them goes on
//
// A crash before install() leaves a file that no list names, and one after it files that no list names; the
// next open removes them. An empty new file is written, too: it says up to which sequence id nothing is
// missing.
//
// The new file is read into the cache if it fits there without an eviction. So gets do not wait for the disk
// when it takes the place of the old ones.
//
// If a step fails, the table is as it was. Threads: one at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/hfile/hfile_writer.h"
#include "bloomery/store/store_options.h"
#include "store/compaction_policy.h"
#include "store/environment.h"
#include "store/region.h"
#include "store/store_files.h"
#include "table/read/compacted_cells.h"

namespace bloomery::store {

class Compaction {
 public:
  // Of these files of the family. A compaction of all files drops delete markers if `is_major`.
  static Result<std::unique_ptr<Compaction>> begin(StoreFiles& store, std::shared_ptr<Region> region,
                                                   RegionFamily& family, const FamilySchema& schema,
                                                   const StoreOptions& options, FileRange files,
                                                   bool is_major, std::int64_t now_ms);

  const std::shared_ptr<Region>& region() const { return region_; }
  // The bytes of the old files.
  std::uint64_t input_bytes() const { return input_bytes_; }

  // Merges about `bytes` bytes of cells, or reads as many of the new file. Returns whether all is done.
  // Errors: kIo; kCorruption of an old file, with its path.
  Result<bool> step(std::uint64_t bytes);
  // Precondition: step() returned true. Returns false, and removes the new file, if the family has lost one
  // of the old files meanwhile. Errors: kIo.
  Result<bool> prepare();
  // Errors: kIo, after which nobody knows which list a crash would leave.
  Status install(const Environment& environment);
  // Returns the path of the old file that an error is about, or an empty one.
  std::string input_of(const Error& error) const;
  // Returns HBase's description of the compaction, for the log.
  std::string description() const;
  // Leaves what cannot be removed to the next open.
  void remove_inputs();

 private:
  Compaction(StoreFiles& store, std::shared_ptr<Region> region, FamilySchema schema);

  Status merge_cell();
  Status open_output();
  CompactionNote note() const;

  StoreFiles& store_;
  std::shared_ptr<Region> region_;
  FamilySchema schema_;
  bool is_major_ = false;
  std::int64_t now_ms_ = 0;
  std::vector<table::StoreFilePointer> inputs_;
  std::uint64_t input_bytes_ = 0;
  table::StoreFilePath output_;
  std::optional<table::CompactedCells> cells_;
  std::optional<HFileWriter> writer_;  // until the file is complete
  HFileOptions reads_as_;              // the new file
  table::StoreFilePointer opened_;
  std::optional<table::StoreMerge> warming_;  // the cells of the new file, while they are read into the cache
  bool is_started_ = false;
  std::uint64_t merged_bytes_ = 0;
};

}  // namespace bloomery::store
