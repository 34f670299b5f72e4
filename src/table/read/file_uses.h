// Decides which files of a store the gets of a batch of rows use, and how.
//
//   1. times and rows              without a filter (file_choice.h). Cells in memory are asked for each row
//   2. the Bloom filter            ROW and ROWPREFIX: all rows and files at a time, bit by bit in rounds, so
//                                  that cache misses overlap. ROWCOL: each named column, and the markers. A
//                                  second filter, of columns, is queried for the rows that are left
//   3. markers of the family       of files that are left, if the get names columns: a file without any is
//                                  read lazily (file_cursor.h), and every file if the empty qualifier is
//                                  requested, since the markers are among its cells
//
// A no is certain; a filter that is undecided or damaged answers maybe. The object also counts the answers;
// the caller reports afterwards what was found. Source: HBase 2.6, StoreFileScanner and StoreFileReader. For
// one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "bloomery/table/read_counters.h"
#include "bloomery/table/skipped_by.h"
#include "hfile/bloom/bloom_chunk.h"
#include "hfile/bloom/chunk_directory.h"
#include "table/read/family_question.h"
#include "table/read/row_question.h"
#include "table/read/store_file.h"
#include "table/read/store_merge.h"

namespace bloomery::table {

class FileUses {
 public:
  // The question must outlive the object.
  FileUses(const FamilyQuestion& question, std::shared_ptr<const OpenStore> store);
  FileUses(const FileUses&) = delete;
  FileUses& operator=(const FileUses&) = delete;
  ~FileUses() { flush_counts(); }

  // Chooses files for these rows. If the family has a TTL, the question must have the current time.
  void choose(std::span<RowQuestion> rows);
  // Returns a use for each file, for the i-th of the rows.
  std::span<const FileUse> of(std::size_t i) const { return std::span(uses_).subspan(i * files_, files_); }
  bool has_any(std::size_t i) const { return counts_[i] != 0; }
  // Returns the reason why a file was not chosen for the row.
  SkippedBy skipped_by(std::size_t i, std::size_t file) const { return reasons_[i * files_ + file]; }
  const OpenStore& store() const { return *store_; }
  const std::shared_ptr<const OpenStore>& store_pointer() const { return store_; }
  const FamilyQuestion& question() const { return question_; }

  // Adds the counts to the files.
  void flush_counts();
  // Counts true and false positives of the row's maybes, after it was read. `is_found`: it has wanted cells.
  void count_found(std::size_t i, const StoreMerge& merge, bool is_found);

 private:
  // A row of the batch, and a file of the store.
  struct Place {
    std::uint32_t row = 0;
    std::uint32_t file = 0;
  };
  // A query of a ROW or ROWPREFIX filter, of which test_probes() tests the bits.
  struct Begun {
    hbase::ChunkProbe probe = {};
    Place place = {};
  };

  SkippedBy skip(std::size_t file, std::string_view row) const;
  // Facts about a file that are the same for all rows; of cells in memory for those of one batch.
  struct AskedFile {
    SkippedBy always = SkippedBy::kNothing;  // by its time range; checked again if there is a TTL
    bool asks_filter = false;
    bool asks_second = false;
    std::string_view first_row = {};  // empty if unknown, or if only a half counts
    std::string_view last_row = {};
    // True if it is a ROW filter with a directory for both rows. The heads are those of the two rows
    // (chunk_directory.h).
    bool has_heads = false;
    std::uint64_t first_head = 0;
    std::uint64_t last_head = 0;
  };

  void look_at_files();
  void look_at_file(std::size_t i);
  void look_at_memory();
  void look_at_row(RowQuestion& row, Place place);
  void look_at_heads(std::span<RowQuestion> rows, std::uint32_t file);
  void share_front(const hbase::ChunkDirectory& directory, std::span<RowQuestion> rows);
  void test_probes();
  void ask_second_filters(std::span<RowQuestion> rows);
  void deny(Place place, bool by_column);
  void ask(RowQuestion& row, Place place);
  bool ask_columns(RowQuestion& row, std::size_t file, FileUse& use);
  void reject(Place place, SkippedBy by);
  bool may_have_markers(RowQuestion& row, const StoreFile& file) const;

  const FamilyQuestion& question_;
  std::shared_ptr<const OpenStore> store_;
  std::size_t files_;
  bool may_be_lazy_;
  // The first requested column has an empty qualifier, so its cells include the family's markers.
  bool begins_with_markers_;
  std::vector<AskedFile> asked_;
  std::vector<FileUse> uses_;  // for each file, row by row
  std::vector<SkippedBy> reasons_;
  std::vector<std::uint32_t> counts_;  // number of files that each row uses
  std::vector<Begun> begun_;           // only the first begun_count_ are in use
  std::size_t begun_count_ = 0;
  // Indexes of queries in begun_.
  std::vector<std::uint32_t> open_;
  std::vector<std::uint32_t> rejected_;
  // front_ is the shared prefix of a chunk directory. Rows with another prefix have no head.
  std::optional<std::string_view> front_;
  std::vector<std::optional<std::uint64_t>> heads_;
  std::vector<FilterCounters> counted_;  // answers of each file's filter
  std::vector<AskedReads> reads_;        // of each file
  std::uint64_t gets_ = 0;
  // For each place, if a file has a second filter: true if that one said no.
  std::vector<bool> second_noes_;
};

}  // namespace bloomery::table
