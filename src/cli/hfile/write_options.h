// The options of `hfile write`; names and defaults are HBase's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/table/bulk_load.h"
#include "cli/hfile/cell_parser.h"
#include "cli/option_parser.h"
#include "cli/summary.h"

namespace bloomery::cli {

// Reads the file of --splits, which lists the rows at which a table's regions start: one escaped row per
// line, in ascending order. Errors: errors of reading it; kInvalidArgument if it has no keys, or a line is
// empty, out of order, too long for a row or badly escaped. The message names the line.
Result<SplitKeys> read_split_keys(const std::string& file);

class WriteOptions {
 public:
  void add_to(CLI::App& verb);
  // Parses the options. Call this before the functions below. Errors: kInvalidArgument, which names the
  // option; errors of reading --splits.
  Status parse();

  const std::string& directory() const { return directory_; }
  const std::vector<std::string>& inputs() const { return inputs_; }
  FamilyFiles existing_files() const { return may_add_ ? FamilyFiles::kAdd : FamilyFiles::kRefuse; }
  const SummaryChoice& summary() const { return summary_; }
  bool has_splits() const { return !splits_file_.empty(); }
  std::size_t threads() const { return threads_; }
  CellParser parser() const { return {json_ ? CellForm::kJson : CellForm::kTabs, timestamp_}; }
  const BulkLoadPlan& plan() const { return plan_; }

 private:
  void add_file_options(CLI::App& verb);
  void add_bloom_options(CLI::App& verb);
  Status parse_bloom();
  Status parse_sizes();
  Status parse_times();

  std::string directory_;
  std::vector<std::string> inputs_;
  bool json_ = false;
  bool may_add_ = false;
  SummaryChoice summary_;
  std::string given_timestamp_;
  std::string given_creation_time_;
  std::string splits_file_;
  std::string given_threads_;
  std::string purpose_ = "bulk-load";
  std::string codecs_ = "hbase";
  std::string encoding_ = hfile::data_encoding_name(HFileWriteOptions().encoding);
  std::string compression_ = hfile::compression_name(HFileWriteOptions().compression);
  std::string checksum_ = hfile::checksum_type_name(HFileWriteOptions().checksum);
  std::string bloom_hash_ = hfile::bloom_hash_name(HFileBloomOptions().hash);
  bool no_mvcc_ = false;
  bool no_delete_family_bloom_ = false;
  std::string given_bloom_;
  std::string bloom_error_;
  std::string bloom_chunk_;
  std::string bloom_fold_;
  std::string block_size_;
  std::string index_block_size_;
  std::string index_min_entries_;
  std::string bytes_per_checksum_;
  std::string max_file_size_ = "10G";

  std::int64_t timestamp_ = 0;
  std::size_t threads_ = 1;
  BulkLoadPlan plan_;
};

}  // namespace bloomery::cli
