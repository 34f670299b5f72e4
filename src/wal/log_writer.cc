#include "wal/log_writer.h"

#include <cassert>
#include <limits>
#include <span>

#include "hfile/key_text.h"
#include "hfile/protobuf_writer.h"
#include "wal/entry_key.h"
#include "wal/log_seal.h"
#include "wal/plain_cell.h"

namespace bloomery::wal {
namespace {

constexpr std::size_t kMostBytes = std::numeric_limits<std::int32_t>::max();

bool fits(const Cell& cell) {
  const CellKey& key = cell.key;
  return key.row.size() <= hfile::kMaxRowBytes && key.family.size() <= hfile::kMaxFamilyBytes &&
         cell.tags.size() <= hfile::kMaxTagsBytes && key.qualifier.size() <= kMostBytes &&
         cell.value.size() <= kMostBytes && plain_cell_bytes(cell) <= kMostBytes;
}

Status check_entry(const LogEntry& entry) {
  if (entry.region.empty() || entry.table.empty()) {
    return Error::invalid_argument(kLogSubject, "expected an entry with a region and a table, found none");
  }
  for (const Cell& cell : entry.cells) {
    if (!fits(cell)) {
      return Error::invalid_argument(hfile::show_column(cell.key.row, cell.key.family, cell.key.qualifier),
                                     "expected a cell that fits into a log, found a longer one");
    }
  }
  return {};
}

}  // namespace

LogWriter::LogWriter(hfile::ByteWriter& out, const LogHeader& header) : out_(out) {
  assert(!header.is_compressed.value_or(false));
  if (const auto seal = append_log_header(out_, header)) {
    link_ = seal->link;
  }
}

Status LogWriter::append(const LogEntry& entry) {
  BLOOMERY_RETURN_IF_ERROR(check_entry(entry));
  key_.clear();
  append_entry_key(key_, entry, link_ ? SealedKey::kYes : SealedKey::kNo);
  if (link_) {
    key_.append(kSealPrefix);
    key_.number(std::uint64_t{0});
  }
  const std::size_t begin = out_.size();
  hfile::append_delimited(out_, key_.text());
  const std::size_t key_end = out_.size() - begin;
  for (const Cell& cell : entry.cells) {
    append_plain_cell(out_, cell);
  }
  if (link_) {
    link_ = store_seal({out_.data() + begin, out_.size() - begin}, key_end, *link_).link;
  }
  ++entries_;
  return {};
}

void LogWriter::close() {
  append_log_trailer(out_, entries_, link_);
}

}  // namespace bloomery::wal
