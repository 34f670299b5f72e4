// Checks the cells of an HFile, block by block: their order, and their agreement with the index, file info
// and the Bloom filters.   Calls: check_block* check_end
//
// verify.cc checks the blocks themselves.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hfile/recognition.h"
#include "hfile/time_span.h"
#include "table/findings.h"

namespace bloomery::table {

class CellVerifier {
 public:
  // `findings` must outlive the verifier.
  CellVerifier(hfile::OpenFilePointer file, Findings& findings);

  // Checks the next data block; `index_key` is its key in the index.
  void check_block(const hfile::BlockPointer& block, std::string_view index_key);
  // Checks the file's counts of cells and of filter keys, and its last key. Precondition: no block was
  // skipped.
  void check_end();

  // Stops querying the filters, whose chunks must not be read.
  void leave_out_filters() { asks_filters_ = false; }
  bool could_read_all() const { return could_read_all_; }
  std::uint64_t cells() const { return cells_; }
  std::uint64_t probes() const { return probes_; }  // queries of Bloom filters
  std::uint64_t denied() const { return denied_; }  // of these, the number answered no
  // Returns the keys of the first ten of them.
  const std::vector<std::string>& denied_keys() const { return denied_keys_; }
  // The family of the first cell, and its flat key.
  const std::string& family() const { return family_; }
  const std::string& first_key() const { return first_key_; }
  // The rows of the first and the last cell; empty if there are no cells.
  std::string_view first_row() const { return row_of(first_key_); }
  std::string_view last_row() const { return row_of(last_key_); }
  bool has_several_families() const { return has_several_families_; }

 private:
  void check_cell(const Cell& cell, const hfile::Block& block);
  void check_file_info(const Cell& cell, const hfile::Block& block);
  void check_filters(const CellKey& key, const hfile::Block& block);
  void check_bloom(const CellKey& key, bool is_new_row, bool is_new_column, const hfile::Block& block);
  void check_delete_family(const CellKey& key, const hfile::Block& block);
  void check_probe(const hfile::ChunkedFilter& filter, std::string_view bloom_key, const CellKey& key,
                   const hfile::Block& block);
  void check_key_count(const std::optional<hfile::ChunkedFilter>& filter, hfile::BlockKind meta,
                       std::uint64_t keys);
  std::optional<CellKey> last() const;  // the key of the previous cell
  static std::string_view row_of(std::string_view flat_key);

  hfile::OpenFilePointer file_;
  Findings& findings_;
  const hfile::Trailer& trailer_;
  std::optional<hfile::TimeSpan> times_;
  std::optional<std::int64_t> max_mvcc_;
  std::optional<std::int64_t> delete_families_;

  std::uint64_t cells_ = 0;
  std::uint64_t probes_ = 0;
  std::uint64_t denied_ = 0;
  std::vector<std::string> denied_keys_;
  std::uint64_t bloom_keys_ = 0;
  std::uint64_t delete_family_keys_ = 0;
  std::uint64_t second_keys_ = 0;
  std::string family_;
  std::string first_key_;
  std::string last_key_;
  std::string last_delete_family_row_;
  bool could_read_all_ = true;
  bool asks_filters_ = true;
  bool has_several_families_ = false;
  bool has_times_outside_ = false;
  bool has_mvcc_above_ = false;
};

}  // namespace bloomery::table
