#include "cli/hfile/write_options.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <limits>
#include <memory_resource>
#include <string>
#include <string_view>
#include <thread>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "bloomery/base/result.h"
#include "bloomery/table/split_keys.h"
#include "cli/hfile/cell_parser.h"
#include "cli/numbers.h"
#include "keys/input_files.h"

namespace bloomery::cli {
namespace {

Status append_split_key(SplitKeys& splits, std::string_view line) {
  std::pmr::monotonic_buffer_resource arena;
  BLOOMERY_ASSIGN_OR_RETURN(const std::string_view key, parse_escaped(line, "split key", arena));
  return splits.append(key);
}

constexpr std::size_t kMostThreads = 256;
constexpr std::string_view kRowPrefix = "ROWPREFIX:";

// Adds an option whose value is one of HBase's names, in upper or lower case.
void add_name(CLI::App& verb, const char* option, std::string& value, const std::vector<std::string>& names,
              const std::string& what) {
  verb.add_option(option, value, what)
      ->transform(CLI::IsMember(names, CLI::ignore_case))
      ->capture_default_str();
}

Status parse_size_into(const char* option, const std::string& given, std::uint32_t& value) {
  if (given.empty()) {
    return {};
  }
  BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t size, parse_size(option, given));
  if (size > std::numeric_limits<std::uint32_t>::max()) {
    return Error::invalid_argument(option, "expected less than 4G, found " + given);
  }
  value = static_cast<std::uint32_t>(size);
  return {};
}

}  // namespace

Result<SplitKeys> read_split_keys(const std::string& file) {
  InputFiles input({file}, '\n');
  SplitKeys splits;
  LineBatch batch;
  for (;;) {
    BLOOMERY_ASSIGN_OR_RETURN(const bool more, input.next(batch));
    if (!more) {
      break;
    }
    for (std::size_t i = 0; i < batch.lines.size(); ++i) {
      if (const Status appended = append_split_key(splits, batch.lines[i]); !appended) {
        return appended.error().in_file(fmt::format("{}: line {}", file, input.first_line() + i));
      }
    }
  }
  if (splits.region_count() == 1) {
    return Error::invalid_argument(file, "expected split keys, one a line, found none");
  }
  return splits;
}

void WriteOptions::add_to(CLI::App& verb) {
  verb.add_option("-o,--output", directory_, "the directory to load from: DIR/FAMILY/FILE")->required();
  verb.add_option(
      "INPUT", inputs_,
      "files of cells in order, one after the other; - is standard input, the default (gzip, zstd, xz "
      "and bzip2 are recognised)");
  verb.add_flag("--json", json_, "the input is JSON, one object a line, as `hfile cat --json` prints it");
  verb.add_option("--timestamp", given_timestamp_, "milliseconds, of lines that have none (default: now)");
  verb.add_flag("--add", may_add_, "also to families of which DIR has files already");
  verb.add_option("--splits", splits_file_,
                  "the table's split keys, one escaped row a line, in order: files end where regions do");
  verb.add_option("--threads", given_threads_,
                  "at most so many at work (default: the cores); the bytes do not depend on it");
  verb.add_option("--max-file-size", max_file_size_,
                  "begin another file before a row that makes one larger (keys and values; "
                  "hbase.hregion.max.filesize)")
      ->capture_default_str();
  verb.add_option("--creation-time", given_creation_time_,
                  "milliseconds, when the files say they were made (default: now)");
  add_file_options(verb);
  add_bloom_options(verb);
  summary_.add_to(verb);
}

void WriteOptions::add_file_options(CLI::App& verb) {
  HFileWriteOptions& file = plan_.file;
  add_name(verb, "--encoding", encoding_, hfile::data_encoding_names(),
           "of data blocks (DATA_BLOCK_ENCODING)");
  add_name(verb, "--compression", compression_, hfile::compression_names(), "of blocks (COMPRESSION)");
  add_name(verb, "--codecs", codecs_, {"hbase", "hadoop"},
           "whose classes the cluster compresses with: ZSTD has two forms");
  verb.add_option("--block-size", block_size_, "of data blocks, before compression (BLOCKSIZE; default 64K)");
  verb.add_option("--index-block-size", index_block_size_,
                  "of blocks of the index (hfile.index.block.max.size; default 128K)");
  verb.add_option("--index-min-entries", index_min_entries_,
                  "at least so many in one (hfile.index.block.min.entries; default 16)");
  add_name(verb, "--checksum", checksum_, hfile::checksum_type_names(), "of blocks");
  verb.add_option("--bytes-per-checksum", bytes_per_checksum_, "how many one is of (default 16K)");
  verb.add_flag("--tags", file.has_tags, "cells may have tags; without it one in the input is an error");
  verb.add_flag("--tags-dictionary", file.tags_by_dictionary,
                "tags are written once and then by number, in PREFIX, DIFF and FAST_DIFF (COMPRESS_TAGS); "
                "implies --tags");
  verb.add_flag("--no-mvcc", no_mvcc_, "cells have no room for mvcc; one that is not 0 is an error");
  add_name(verb, "--purpose", purpose_, {"bulk-load", "store", "plain"},
           "what the file says it is: to be loaded, of a flush, or only cells");
  verb.add_option("--task", file.bulk_load_task, "a text in the file, of who made it (BULKLOAD_SOURCE_TASK)");
}

void WriteOptions::add_bloom_options(CLI::App& verb) {
  verb.add_option(
      "--bloom", given_bloom_,
      "NONE, ROW, ROWCOL or ROWPREFIX:N, of the first N bytes of rows (BLOOMFILTER; default ROW)");
  verb.add_option("--bloom-error", bloom_error_, "its fpp (io.storefile.bloom.error.rate; default 0.01)");
  verb.add_option("--bloom-chunk", bloom_chunk_,
                  "bytes of a chunk (io.storefile.bloom.block.size; default 128K)");
  verb.add_option("--bloom-fold", bloom_fold_,
                  "how often the last chunk may be halved (io.storefile.bloom.max.fold; default 7)");
  add_name(verb, "--bloom-hash", bloom_hash_, hfile::bloom_hash_names(), "hbase.hash.type");
  verb.add_flag("--no-delete-family-bloom", no_delete_family_bloom_,
                "no filter of the rows with markers that delete the family");
}

// Turns the values of all options into the plan. The library checks the plan, so that the command and other
// programs accept the same plans.
Status WriteOptions::parse() {
  if (directory_ == "-") {
    return Error::invalid_argument(
        "-o",
        "expected a directory, found standard output: each family has a file of its own (./- is a name)");
  }
  BLOOMERY_RETURN_IF_ERROR(parse_times());
  BLOOMERY_RETURN_IF_ERROR(parse_sizes());
  HFileWriteOptions& file = plan_.file;
  file.purpose = purpose_ == "bulk-load" ? HFilePurpose::kBulkLoad
                 : purpose_ == "store"   ? HFilePurpose::kStore
                                         : HFilePurpose::kPlain;
  file.codecs = codecs_ == "hadoop" ? HFileCodecs::kHadoop : HFileCodecs::kHBase;
  BLOOMERY_ASSIGN_OR_RETURN(file.encoding, hfile::parse_data_encoding(encoding_));
  BLOOMERY_ASSIGN_OR_RETURN(file.compression, hfile::parse_compression(compression_));
  BLOOMERY_ASSIGN_OR_RETURN(file.checksum, hfile::parse_checksum_type(checksum_));
  BLOOMERY_ASSIGN_OR_RETURN(file.bloom.hash, hfile::parse_bloom_hash(bloom_hash_));
  file.has_tags = file.has_tags || file.tags_by_dictionary;
  file.has_mvcc = !no_mvcc_;
  BLOOMERY_RETURN_IF_ERROR(parse_bloom());
  BLOOMERY_RETURN_IF_ERROR(plan_.check());
  if (has_splits()) {
    BLOOMERY_ASSIGN_OR_RETURN(plan_.splits, read_split_keys(splits_file_));
  }
  return {};
}

Status WriteOptions::parse_times() {
  timestamp_ = std::chrono::duration_cast<std::chrono::milliseconds>(
                   std::chrono::system_clock::now().time_since_epoch())
                   .count();
  std::int64_t creation_time = timestamp_;
  if (!given_timestamp_.empty()) {
    BLOOMERY_ASSIGN_OR_RETURN(timestamp_, parse_milliseconds("--timestamp", given_timestamp_));
  }
  if (!given_creation_time_.empty()) {
    BLOOMERY_ASSIGN_OR_RETURN(creation_time, parse_milliseconds("--creation-time", given_creation_time_));
  }
  plan_.file.creation_time = creation_time;
  plan_.file.bulk_load_time = creation_time;
  return {};
}

Status WriteOptions::parse_sizes() {
  HFileWriteOptions& file = plan_.file;
  BLOOMERY_RETURN_IF_ERROR(parse_size_into("--block-size", block_size_, file.block_bytes));
  BLOOMERY_RETURN_IF_ERROR(parse_size_into("--index-block-size", index_block_size_, file.index_block_bytes));
  BLOOMERY_RETURN_IF_ERROR(
      parse_size_into("--index-min-entries", index_min_entries_, file.index_min_entries));
  BLOOMERY_RETURN_IF_ERROR(
      parse_size_into("--bytes-per-checksum", bytes_per_checksum_, file.bytes_per_checksum));
  BLOOMERY_RETURN_IF_ERROR(parse_size_into("--bloom-chunk", bloom_chunk_, file.bloom.chunk_bytes));
  BLOOMERY_RETURN_IF_ERROR(parse_size_into("--bloom-fold", bloom_fold_, file.bloom.max_fold));
  BLOOMERY_ASSIGN_OR_RETURN(plan_.max_file_bytes, parse_size("--max-file-size", max_file_size_));
  std::uint64_t threads = std::max(1U, std::thread::hardware_concurrency());
  if (!given_threads_.empty()) {
    BLOOMERY_ASSIGN_OR_RETURN(threads, parse_count("--threads", given_threads_));
  }
  if (threads < 1 || (threads > kMostThreads && !given_threads_.empty())) {
    return Error::invalid_argument("--threads", "expected 1 to 256, found " + given_threads_);
  }
  threads_ = std::min<std::size_t>(static_cast<std::size_t>(threads), kMostThreads);
  return {};
}

Status WriteOptions::parse_bloom() {
  HFileBloomOptions& bloom = plan_.file.bloom;
  std::string given = given_bloom_;
  std::ranges::transform(given, given.begin(),
                         [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  const bool is_plain = plan_.file.purpose == HFilePurpose::kPlain;
  bloom.type = is_plain ? hfile::BloomType::kNone : hfile::BloomType::kRow;
  bloom.delete_family = !no_delete_family_bloom_;
  if (given.starts_with(kRowPrefix)) {
    bloom.type = hfile::BloomType::kRowPrefix;
    BLOOMERY_RETURN_IF_ERROR(parse_size_into("--bloom", given.substr(kRowPrefix.size()), bloom.prefix_bytes));
  } else if (!given.empty()) {
    const auto type = hfile::parse_bloom_type(given);
    if (!type || *type == hfile::BloomType::kRowPrefix) {  // a row prefix needs its length
      return Error::invalid_argument(
          "--bloom", "expected NONE, ROW, ROWCOL or ROWPREFIX:N, found '" + given_bloom_ + "'");
    }
    bloom.type = *type;
  }
  if (!bloom_error_.empty()) {
    BLOOMERY_ASSIGN_OR_RETURN(const double rate, parse_real("--bloom-error", bloom_error_));
    bloom.error_rate = static_cast<float>(rate);
  }
  return {};
}

}  // namespace bloomery::cli
