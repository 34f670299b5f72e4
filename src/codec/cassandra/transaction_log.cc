#include "codec/cassandra/transaction_log.h"

#include <algorithm>
#include <optional>

#include <zlib.h>

#include "base/choice_names.h"
#include "base/endian.h"
#include "base/message.h"
#include "hash/ascii_text.h"

namespace bloomery {
namespace {

constexpr const char* kTransactionLogSubject = "transaction log";

constexpr ChoiceNames<TransactionRecordType, 4> kTypes{{{{TransactionRecordType::kAdd, "ADD"},
                                                         {TransactionRecordType::kRemove, "REMOVE"},
                                                         {TransactionRecordType::kCommit, "COMMIT"},
                                                         {TransactionRecordType::kAbort, "ABORT"}}}};

// Consumes the text up to `mark`, and the mark itself, and returns that text; nothing if there is no mark.
std::optional<std::string_view> take_until(std::string_view& text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  if (at == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(at + mark.size());
  return taken;
}

std::uint32_t checksum_of(std::string_view path, std::string_view type, std::uint64_t time,
                          std::uint32_t files) {
  std::string bytes = std::string(path) + std::string(type);
  for (const auto word : {static_cast<std::uint32_t>(time), static_cast<std::uint32_t>(time >> 32), files}) {
    std::byte big[4];
    store_big(big, word);
    bytes.append(reinterpret_cast<const char*>(big), sizeof(big));
  }
  return static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<z_size_t>(bytes.size())));
}

void set_path(TransactionRecord& record, std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash != std::string_view::npos) {
    record.folder = std::string(path.substr(0, slash));
    path.remove_prefix(slash + 1);
  }
  path.remove_suffix(path.ends_with('-') ? 1 : 0);
  record.sstable = std::string(path);
}

// Returns nothing for a line that is not a record or has a wrong checksum.
std::optional<TransactionRecord> parse_record(std::string_view line) {
  const std::optional<std::string_view> type_name = take_until(line, ":[");
  const std::optional<std::string_view> path = take_until(line, ",");
  const std::optional<std::string_view> time_text = take_until(line, ",");
  const std::optional<std::string_view> files_text = take_until(line, "][");
  if (!type_name || !path || !time_text || !files_text || !line.ends_with(']')) {
    return std::nullopt;
  }
  line.remove_suffix(1);
  const auto type = kTypes.find(*type_name);
  const auto time = number_from_text<std::uint64_t>(*time_text);
  const auto files = number_from_text<std::uint32_t>(*files_text);
  const auto checksum = number_from_text<std::uint32_t>(line);
  if (!type || !time || !files || !checksum || *checksum != checksum_of(*path, *type_name, *time, *files)) {
    return std::nullopt;
  }
  TransactionRecord record{.type = *type, .folder = {}, .sstable = {}, .time_ms = *time, .files = *files};
  set_path(record, *path);
  const bool has_sstable = *type == TransactionRecordType::kAdd || *type == TransactionRecordType::kRemove;
  return has_sstable == record.sstable.empty() ? std::nullopt : std::optional(record);
}

const SSTableFiles* find(std::span<const SSTableFiles> present, const std::string& sstable) {
  const auto found = std::ranges::find(present, sstable, &SSTableFiles::sstable);
  return found == present.end() ? nullptr : &*found;
}

Status check_removed(const TransactionRecord& record, bool committed, const std::string& folder,
                     const SSTableFiles* present) {
  const bool is_here = record.folder == folder;
  if (is_here && present != nullptr && present->newest_ms > 0 && present->newest_ms != record.time_ms) {
    return Error::corruption(kTransactionLogSubject, 0,
                             message(record.sstable, ": expected its newest file to be of ", record.time_ms,
                                     " ms since 1970 as it is logged, found ", present->newest_ms));
  }
  const std::uint32_t files = present == nullptr ? 0 : present->files;
  if (!committed && files < record.files) {
    return Error::corruption(
        kTransactionLogSubject, 0,
        message(record.sstable, ": expected its ", record.files,
                " files, since the transaction that replaces it did not commit, found ", files));
  }
  return {};
}

}  // namespace

bool is_transaction_log_name(std::string_view file_name) {
  return file_name.ends_with(".log") &&
         (file_name.starts_with("txn_") || file_name.find("_txn_") != std::string_view::npos);
}

Result<TransactionLog> read_transaction_log(std::string_view text) {
  TransactionLog log;
  for (std::size_t line_number = 1; !text.empty(); ++line_number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const bool has_ended =
        !log.records.empty() && (log.records.back().type == TransactionRecordType::kCommit ||
                                 log.records.back().type == TransactionRecordType::kAbort);
    std::optional<TransactionRecord> record = parse_record(line);
    if (has_ended || (!record && !text.empty())) {
      return Error::corruption(
          kTransactionLogSubject, 0,
          message("line ", line_number, ": expected ",
                  has_ended ? "the end behind COMMIT or ABORT" : "a record with its checksum", ", found '",
                  line, "'"));
    }
    if (record) {
      log.records.push_back(std::move(*record));
    } else {
      log.last_is_broken = true;
    }
  }
  return log;
}

Result<std::vector<std::string>> dead_sstables(const TransactionLog& log, const std::string& folder,
                                               std::span<const SSTableFiles> present) {
  std::vector<std::string> dead;
  const bool committed = log.committed();
  for (const TransactionRecord& record : log.records) {
    const SSTableFiles* const files = find(present, record.sstable);
    if (record.type == TransactionRecordType::kRemove) {
      BLOOMERY_RETURN_IF_ERROR(check_removed(record, committed, folder, files));
    }
    const auto dying = committed ? TransactionRecordType::kRemove : TransactionRecordType::kAdd;
    if (record.type == dying && files != nullptr) {
      dead.push_back(record.sstable);
    }
  }
  return dead;
}

}  // namespace bloomery
