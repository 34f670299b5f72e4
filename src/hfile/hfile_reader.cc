#include "bloomery/hfile/hfile_reader.h"

#include <algorithm>
#include <utility>

#include "base/memory_budget.h"
#include "hfile/open_file.h"
#include "hfile/reader_access.h"
#include "hfile/scan_state.h"

namespace bloomery {
namespace {

// Runs `step` and prefixes an error's subject with the file's name. Memory exhaustion becomes an error too.
template <typename Step>
Result<bool> stepped(const hfile::OpenFile& file, Step step) {
  return in_file(within_memory(file.path(), step), file.path());
}

}  // namespace

HFileReader::HFileReader(std::shared_ptr<const hfile::OpenFile> file) : file_(std::move(file)) {}

Result<HFileReader> HFileReader::open(const std::string& path, const HFileOptions& options) {
  BLOOMERY_ASSIGN_OR_RETURN(auto file, hfile::OpenFile::open(path, options));
  return HFileReader(std::move(file));
}

const HFileFacts& HFileReader::facts() const {
  return file_->facts();
}

HFileScanner HFileReader::scan() const {
  return HFileScanner(file_);
}

// HBase splits regions at this key. In an index of several levels the root names its leaf and entry.
Result<std::optional<FlatKey>> HFileReader::mid_key() const {
  const hfile::RootIndex& root = file_->index().root;
  if (root.entries.empty()) {
    return std::optional<FlatKey>();
  }
  if (!root.middle_leaf) {
    return FlatKey::of(root.entries[root.entries.size() / 2].key);
  }
  BLOOMERY_ASSIGN_OR_RETURN(const hfile::BlockPointer block,
                            in_file(file_->source().read({.kind = hfile::BlockKind::kLeafIndex,
                                                          .offset = root.middle_leaf->offset,
                                                          .on_disk_bytes = root.middle_leaf->on_disk_bytes}),
                                    file_->path()));
  BLOOMERY_ASSIGN_OR_RETURN(const auto leaf, hfile::IndexBlockView::over(*block));
  if (root.middle_entry >= leaf.size()) {
    return Error::corruption(file_->path() + ": root index block", file_->trailer().load_on_open_offset,
                             "a middle entry below " + std::to_string(leaf.size()), root.middle_entry);
  }
  BLOOMERY_ASSIGN_OR_RETURN(const hfile::IndexEntry entry, leaf.entry(root.middle_entry));
  auto key = FlatKey::of(entry.key);
  if (!key) {
    return Error::corruption(file_->path() + ": leaf index block", block->offset(),
                             "a key in the middle entry", "other bytes");
  }
  return key;
}

std::optional<FlatKey> HFileReader::first_key() const {
  const auto& entries = file_->index().root.entries;
  return entries.empty() ? std::nullopt : FlatKey::of(entries.front().key);
}

std::optional<FlatKey> HFileReader::last_key() const {
  const auto key = file_->info().find("hfile.LASTKEY");
  return key ? FlatKey::of(*key) : std::nullopt;
}

Result<std::optional<std::string>> HFileReader::meta_block(std::string_view name) const {
  const auto& entries = file_->meta_index().entries;
  const auto entry = std::ranges::find(entries, name, &hfile::IndexEntry::key);
  if (entry == entries.end()) {
    return std::optional<std::string>();
  }
  BLOOMERY_ASSIGN_OR_RETURN(const hfile::BlockPointer block,
                            in_file(file_->source().read({.kind = hfile::BlockKind::kMeta,
                                                          .offset = entry->offset,
                                                          .on_disk_bytes = entry->on_disk_bytes}),
                                    file_->path()));
  const auto payload = block->payload();
  return std::optional(std::string(reinterpret_cast<const char*>(payload.data()), payload.size()));
}

bool HFileReader::may_contain_row(std::string_view row) const {
  return file_->may_contain_row(row);
}

bool HFileReader::may_contain_column(std::string_view row, std::string_view qualifier) const {
  return file_->may_contain_column(row, qualifier);
}

bool HFileReader::may_contain_prefix(std::string_view prefix) const {
  return file_->may_contain_prefix(prefix);
}

bool HFileReader::may_contain_delete_family(std::string_view row) const {
  return file_->may_contain_delete_family(row);
}

Status HFileReader::filter_status() const {
  return file_->filter_status();
}

HFileCounters HFileReader::counters() const {
  return file_->counters();
}

HFileScanner::HFileScanner(std::shared_ptr<const hfile::OpenFile> file)
    : file_(file.get()), state_(std::make_unique<hfile::ScanState>(std::move(file))) {}
HFileScanner::HFileScanner(HFileScanner&&) noexcept = default;
HFileScanner& HFileScanner::operator=(HFileScanner&&) noexcept = default;
HFileScanner::~HFileScanner() = default;

Result<bool> HFileScanner::seek_to_first() {
  return stepped(*file_, [&] { return state_->seek_to_first(); });
}

Result<bool> HFileScanner::seek_to_last() {
  return stepped(*file_, [&] { return state_->seek_to_last(); });
}

Result<bool> HFileScanner::seek(const CellKey& key) {
  return stepped(*file_, [&] { return state_->seek(key); });
}

Result<bool> HFileScanner::seek_before(const CellKey& key) {
  return stepped(*file_, [&] { return state_->seek_before(key); });
}

Result<bool> HFileScanner::next() {
  return stepped(*file_, [&]() -> Result<bool> {
    const hfile::Step found = state_->step();
    return found == hfile::Step::kCell ? Result<bool>(true) : state_->leave_block(found);
  });
}

Result<bool> HFileScanner::previous() {
  return stepped(*file_, [&] { return state_->previous(); });
}

const Cell& HFileScanner::cell() const {
  return state_->cell();
}

HFileReader hfile::ReaderAccess::reader_of(std::shared_ptr<const OpenFile> file) {
  return HFileReader(std::move(file));
}

hfile::ScanState& hfile::ReaderAccess::state_of(const HFileScanner& scanner) {
  return *scanner.state_;
}

Result<bool> hfile::ReaderAccess::leave_block(HFileScanner& scanner, Step found) {
  return stepped(*scanner.file_, [&] { return scanner.state_->leave_block(found); });
}

}  // namespace bloomery
