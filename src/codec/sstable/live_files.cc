#include "codec/sstable/live_files.h"

#include <algorithm>
#include <utility>

#include "codec/sstable/log_records.h"

namespace bloomery::sstable {
namespace {

constexpr std::uint64_t kNodeBytes = 64;  // a node of a map, upper estimate

bool is_same_file(const LiveFile& live, const NewFile& added) {
  return live.level == added.level && live.path == added.path && live.size_bytes == added.size_bytes &&
         live.smallest == added.smallest && live.largest == added.largest;
}

}  // namespace

Result<LiveFiles> LiveFiles::read(std::span<const std::byte> manifest, const std::string& name,
                                  std::shared_ptr<MemoryBudget> memory) {
  LiveFiles files;
  files.budget_ = std::move(memory);
  files.logs_memory_ = MemoryShare(files.budget_);
  files.families_[0].name = "default";
  // Holds the records of a group until its last one is read. They are copies, since the reader reuses its
  // buffer.
  std::vector<std::pair<std::vector<std::byte>, std::uint64_t>> group;
  MemoryShare group_memory(files.budget_);
  LogRecords records(manifest, 0, name);
  while (true) {
    BLOOMERY_ASSIGN_OR_RETURN(const bool more, records.next());
    if (!more) {
      break;
    }
    const Result<VersionEdit> edit = read_version_edit(records.record(), records.offset(), files.budget_);
    if (!edit) {
      return edit.error().in_file(name);
    }
    const std::uint64_t left = edit->left_in_group.value_or(0);
    if (left != 0) {
      BLOOMERY_RETURN_IF_ERROR(group_memory.add(kVersionEditSubject, kNodeBytes + records.record().size()));
      group.emplace_back(std::vector<std::byte>(records.record().begin(), records.record().end()),
                         records.offset());
      continue;
    }
    for (const auto& [bytes, offset] : group) {
      BLOOMERY_ASSIGN_OR_RETURN(const VersionEdit waited, read_version_edit(bytes, offset, files.budget_));
      if (const Status applied = files.apply(waited, offset); !applied) {
        return applied.error().in_file(name);
      }
    }
    group.clear();
    group_memory.clear();
    if (const Status applied = files.apply(*edit, records.offset()); !applied) {
      return applied.error().in_file(name);
    }
  }
  files.torn_ = records.is_torn() || !group.empty();
  if (!files.has_log_number_ || !files.has_next_file_ || !files.has_last_sequence_) {
    return Error::corruption(name, manifest.size(),
                             "a log number, a next file number and a last sequence number",
                             "a manifest that ends without");
  }
  return files;
}

std::uint64_t LiveFiles::first_log() const {
  std::uint64_t first = first_log_to_keep_.value_or(~std::uint64_t{0});
  for (const auto& [number, family] : families_) {
    first = std::min(first, family.log_number);
  }
  return first;
}

Status LiveFiles::apply_logs(const VersionEdit& edit) {
  has_log_number_ = has_log_number_ || edit.log_number.has_value();
  has_next_file_ = has_next_file_ || edit.next_file.has_value();
  has_last_sequence_ = has_last_sequence_ || edit.last_sequence.has_value();
  previous_log_ = edit.previous_log.value_or(previous_log_);
  if (edit.first_log_to_keep) {
    first_log_to_keep_ = std::max(first_log_to_keep_.value_or(0), *edit.first_log_to_keep);
  }
  BLOOMERY_RETURN_IF_ERROR(logs_memory_.add("manifest", kNodeBytes * edit.written_logs.size()));
  for (const WrittenLog& log : edit.written_logs) {
    std::uint64_t& synced = written_logs_[log.number];
    synced = std::max(synced, log.synced_bytes);
  }
  if (edit.logs_gone_before) {
    written_logs_.erase(written_logs_.begin(), written_logs_.lower_bound(*edit.logs_gone_before));
  }
  return {};
}

Status LiveFiles::apply_files(const VersionEdit& edit, LiveFamily& family, std::uint64_t offset) {
  for (const DeletedFile& deleted : edit.deleted) {
    const auto found = family.files.find(deleted.number);
    if (found != family.files.end() && found->second.level == deleted.level) {
      family.files.erase(found);
    }
  }
  for (const NewFile& added : edit.added) {
    LiveFile file{.number = added.number,
                  .level = added.level,
                  .path = added.path,
                  .size_bytes = added.size_bytes,
                  .smallest = std::string(added.smallest),
                  .largest = std::string(added.largest),
                  .memory = MemoryShare(budget_)};
    BLOOMERY_RETURN_IF_ERROR(file.memory.add(
        "manifest", kNodeBytes + sizeof(LiveFile) + added.smallest.size() + added.largest.size()));
    const auto [known, is_new] = family.files.try_emplace(added.number, std::move(file));
    // goleveldb may write an entry twice, which changes nothing.
    if (!is_new && !is_same_file(known->second, added)) {
      return Error::corruption(kVersionEditSubject, offset, "a file that is not live yet",
                               "number " + std::to_string(added.number) + " a second time");
    }
  }
  return {};
}

Status LiveFiles::apply(const VersionEdit& edit, std::uint64_t offset) {
  BLOOMERY_RETURN_IF_ERROR(apply_logs(edit));
  if (edit.added_family) {
    MemoryShare memory(budget_);
    BLOOMERY_RETURN_IF_ERROR(
        memory.add("manifest", kNodeBytes + sizeof(LiveFamily) + edit.added_family->size()));
    const auto [added, is_new] = families_.try_emplace(edit.family);
    if (!is_new) {
      return Error::corruption(kVersionEditSubject, offset, "a new column family",
                               "number " + std::to_string(edit.family) + " a second time");
    }
    added->second.name = *edit.added_family;
    added->second.memory = std::move(memory);
  }
  const auto found = families_.find(edit.family);
  if (found == families_.end()) {
    return Error::corruption(kVersionEditSubject, offset, "a column family that was added before",
                             "number " + std::to_string(edit.family));
  }
  if (edit.drops_family) {
    if (edit.family == 0) {
      return Error::corruption(kVersionEditSubject, offset, "a column family that can be dropped",
                               "the default one");
    }
    families_.erase(found);
    return {};
  }
  LiveFamily& family = found->second;
  family.comparator = edit.comparator.value_or(family.comparator);
  family.log_number = edit.log_number.value_or(family.log_number);
  return apply_files(edit, family, offset);
}

}  // namespace bloomery::sstable
