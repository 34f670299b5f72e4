// Decides which files of a store the gets of some rows use, and how.
//
//   1. times and rows              without a filter (file_choice.h)
//   2. the Bloom filter            ROW and ROWPREFIX: of all rows and files at a time, bit by bit in rounds, so that their
//                                  cache misses overlap. ROWCOL: each named column, and the row's markers
//   3. markers of the family       of files that are left, if the get names columns: a file without any is read lazily
//                                  (file_cursor.h). They are not asked for if the column without a name is among them
//
// A no is certain; what cannot tell, or is damaged, says maybe. It also counts what filters say; the caller tells it
// afterwards what was found. Source: HBase 2.6, StoreFileScanner and StoreFileReader. For one thread.
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

  // Chooses for these rows. Of a family with a TTL, the question has the time of now.
  void choose(std::span<RowQuestion> rows);
  // Returns a use for each file, for the i-th of the rows.
  std::span<const FileUse> of(std::size_t i) const { return std::span(uses_).subspan(i * files_, files_); }
  bool has_any(std::size_t i) const { return counts_[i] != 0; }
  // Why a file of the row was not chosen.
  SkippedBy skipped_by(std::size_t i, std::size_t file) const { return reasons_[i * files_ + file]; }
  const OpenStore& store() const { return *store_; }
  const std::shared_ptr<const OpenStore>& store_pointer() const { return store_; }
  const FamilyQuestion& question() const { return question_; }

  // Adds what was counted to the files.
  void flush_counts();
  // Counts what the filters' maybes of the row were worth, when it was read.
  void count_found(std::size_t i, const StoreMerge& merge);

 private:
  // A row of those that are chosen for, and a file of the store.
  struct Place {
    std::uint32_t row = 0;
    std::uint32_t file = 0;
  };
  // A question that has begun.
  struct Begun {
    hbase::ChunkProbe probe = {};
    Place place = {};
  };

  SkippedBy skip(std::size_t file, std::string_view row) const;
  // What is the same for all rows.
  struct AskedFile {
    SkippedBy always = SkippedBy::kNothing;  // by its times; looked at again if the family has a TTL
    bool asks_filter = false;
    std::string_view first_row = {};  // empty if its rows are not known, or if half of them count
    std::string_view last_row = {};
    // Whether the filter is one of rows and has a directory, and the heads of these two rows there (chunk_directory.h).
    bool has_heads = false;
    std::uint64_t first_head = 0;
    std::uint64_t last_head = 0;
  };

  void look_at_files();
  void look_at_row(RowQuestion& row, Place place);
  void look_at_heads(std::span<RowQuestion> rows, std::uint32_t file);
  void share_front(const hbase::ChunkDirectory& directory, std::span<RowQuestion> rows);
  void test_probes();
  void ask(RowQuestion& row, Place place);
  bool ask_columns(RowQuestion& row, std::size_t file, FileUse& use);
  void reject(Place place, SkippedBy by);
  bool may_have_markers(RowQuestion& row, const hfile::OpenFile& file) const;

  const FamilyQuestion& question_;
  std::shared_ptr<const OpenStore> store_;
  std::size_t files_;
  bool may_be_lazy_;
  bool
      begins_with_markers_;  // the first column is that without a name, and markers of the family are among its cells
  std::vector<AskedFile> asked_;
  std::vector<FileUse> uses_;  // row by row
  std::vector<SkippedBy> reasons_;
  std::vector<std::uint32_t> counts_;  // of the files that a row uses
  std::vector<Begun> begun_;           // the first begun_count_ of them
  std::size_t begun_count_ = 0;
  // Numbers of questions in begun_.
  std::vector<std::uint32_t> open_;
  std::vector<std::uint32_t> rejected_;
  // The heads of the rows behind `front_`; nothing of rows that do not begin with it.
  std::optional<std::string_view> front_;
  std::vector<std::optional<std::uint64_t>> heads_;
  std::vector<FilterCounters> counted_;  // of each file
};

}  // namespace bloomery::table
