#include "codec/sstable/version_edit.h"

#include <utility>

#include "base/varint.h"

namespace bloomery::sstable {
namespace {

enum Tag : std::uint64_t {
  kComparator = 1,
  kLogNumber = 2,
  kNextFile = 3,
  kLastSequence = 4,
  kCompactPointer = 5,
  kDeletedFile = 6,
  kNewFile = 7,
  kPreviousLog = 9,
  kFirstLogToKeep = 10,
  kNewFile2 = 100,
  kNewFile3 = 102,
  kNewFile4 = 103,
  kFamily = 200,
  kFamilyAdd = 201,
  kFamilyDrop = 202,
  kHighestFamily = 203,
  kInGroup = 300,
  kBlobFile = 400,
  kBlobGarbage = 401,
  kIgnorableTags = 1 << 13,
  kOldBlobFile = 8194,
  kOldBlobGarbage = 8195,
  kLogWritten = 8196,
  kLogsGone = 8197,
  kLogWritten2 = 8199,
  kLogsGone2 = 8200,
};

// Fields of a file or blob file whose tag has this bit cannot be ignored.
constexpr std::uint64_t kMustBeKnown = 1 << 6;
constexpr std::uint64_t kFileFieldsEnd = 1;
constexpr std::uint64_t kFilePath = 65;
constexpr std::uint64_t kFileFirstLogToKeep = 3;
constexpr std::uint64_t kBlobFieldsEnd = 0;

// The unread bytes of a record.
class Fields {
 public:
  Fields(std::span<const std::byte> left, std::uint64_t offset) : left_(left), offset_(offset) {}

  bool empty() const { return left_.empty(); }
  std::uint64_t offset() const { return offset_; }
  Result<std::uint64_t> number() { return read_next_varint(left_, offset_); }
  Result<std::span<const std::byte>> bytes() {
    BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t size, number());
    if (size > left_.size()) {
      return Error::corruption(kVersionEditSubject, offset_,
                               "a text of at most " + std::to_string(left_.size()) + " bytes", size);
    }
    const auto taken = left_.first(size);
    left_ = left_.subspan(size);
    return taken;
  }
  Result<std::string_view> text() {
    BLOOMERY_ASSIGN_OR_RETURN(const auto taken, bytes());
    return std::string_view(reinterpret_cast<const char*>(taken.data()), taken.size());
  }
  // Reads an internal key and returns its user key.
  Result<std::string_view> user_key() {
    constexpr std::size_t kSequenceBytes = 8;  // sequence number and type
    BLOOMERY_ASSIGN_OR_RETURN(const std::string_view key, text());
    if (key.size() < kSequenceBytes) {
      return Error::corruption(kVersionEditSubject, offset_, "an internal key of 8 bytes or more",
                               key.size());
    }
    return key.substr(0, key.size() - kSequenceBytes);
  }

 private:
  std::span<const std::byte> left_;
  std::uint64_t offset_;
};

// Appends to a list of the edit, and charges the list as if it had grown to twice its size.
template <typename Item>
Status append(VersionEdit& edit, std::vector<Item>& list, const Item& item) {
  BLOOMERY_RETURN_IF_ERROR(edit.memory.add(kVersionEditSubject, 2 * sizeof(Item)));
  list.push_back(item);
  return {};
}

Error unknown_tag(const Fields& fields, const char* what, std::uint64_t tag) {
  return Error::unsupported(kVersionEditSubject, fields.offset(),
                            std::string("expected a known ") + what + ", found tag " + std::to_string(tag));
}

// Reads the fields after the sequence numbers of kNewFile4.
Status read_file_fields(Fields& fields, NewFile& file, VersionEdit& edit) {
  while (true) {
    BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t tag, fields.number());
    if (tag == kFileFieldsEnd) {
      return {};
    }
    BLOOMERY_ASSIGN_OR_RETURN(const std::span<const std::byte> value, fields.bytes());
    if (tag == kFilePath) {
      if (value.size() != 1) {
        return Error::corruption(kVersionEditSubject, fields.offset(), "a path of 1 byte", value.size());
      }
      file.path = static_cast<std::uint64_t>(value[0]);
    } else if (tag == kFileFirstLogToKeep) {
      if (value.size() != 8) {
        return Error::corruption(kVersionEditSubject, fields.offset(), "a log number of 8 bytes",
                                 value.size());
      }
      std::uint64_t number = 0;
      for (std::size_t i = value.size(); i-- > 0;) {
        number = number << 8 | static_cast<std::uint64_t>(value[i]);
      }
      edit.first_log_to_keep = number;
    } else if ((tag & kMustBeKnown) != 0) {
      return unknown_tag(fields, "field of a file", tag);
    }
  }
}

Status read_new_file(Fields& fields, std::uint64_t tag, VersionEdit& edit) {
  NewFile file;
  BLOOMERY_ASSIGN_OR_RETURN(file.level, fields.number());
  BLOOMERY_ASSIGN_OR_RETURN(file.number, fields.number());
  if (tag == kNewFile3) {
    BLOOMERY_ASSIGN_OR_RETURN(file.path, fields.number());
  }
  BLOOMERY_ASSIGN_OR_RETURN(file.size_bytes, fields.number());
  BLOOMERY_ASSIGN_OR_RETURN(file.smallest, fields.user_key());
  BLOOMERY_ASSIGN_OR_RETURN(file.largest, fields.user_key());
  if (tag != kNewFile) {
    BLOOMERY_RETURN_IF_ERROR(fields.number());  // the smallest sequence number
    BLOOMERY_RETURN_IF_ERROR(fields.number());
  }
  if (tag == kNewFile4) {
    BLOOMERY_RETURN_IF_ERROR(read_file_fields(fields, file, edit));
  }
  return append(edit, edit.added, file);
}

// Skips a blob file, or its garbage. A blob file stores values, never keys.
Status skip_blob_file(Fields& fields, bool is_file) {
  for (int i = 0; i < 3; ++i) {
    BLOOMERY_RETURN_IF_ERROR(fields.number());
  }
  for (int i = 0; is_file && i < 2; ++i) {
    BLOOMERY_RETURN_IF_ERROR(fields.bytes());
  }
  while (true) {
    BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t tag, fields.number());
    if (tag == kBlobFieldsEnd) {
      return {};
    }
    if ((tag & kMustBeKnown) != 0) {
      return unknown_tag(fields, "field of a blob file", tag);
    }
    BLOOMERY_RETURN_IF_ERROR(fields.bytes());
  }
}

Status read_written_log(Fields& fields, VersionEdit& edit) {
  constexpr std::uint64_t kEnd = 1;
  constexpr std::uint64_t kSyncedBytes = 2;
  WrittenLog log;
  BLOOMERY_ASSIGN_OR_RETURN(log.number, fields.number());
  while (true) {
    BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t tag, fields.number());
    if (tag == kEnd) {
      return append(edit, edit.written_logs, log);
    }
    if (tag != kSyncedBytes) {
      return unknown_tag(fields, "field of a log", tag);
    }
    BLOOMERY_ASSIGN_OR_RETURN(log.synced_bytes, fields.number());
  }
}

Status read_log_tag(Fields& fields, std::uint64_t tag, VersionEdit& edit) {
  if (tag == kLogWritten || tag == kLogsGone) {
    if (tag == kLogWritten) {
      return read_written_log(fields, edit);
    }
    BLOOMERY_ASSIGN_OR_RETURN(edit.logs_gone_before, fields.number());
    return {};
  }
  BLOOMERY_ASSIGN_OR_RETURN(const std::span<const std::byte> value, fields.bytes());
  Fields inner(value, fields.offset());
  return read_log_tag(inner, tag == kLogWritten2 ? kLogWritten : kLogsGone, edit);
}

Status read_family_tag(Fields& fields, std::uint64_t tag, VersionEdit& edit) {
  if (tag == kFamilyDrop) {
    edit.drops_family = true;
    return {};
  }
  if (tag == kFamilyAdd) {
    BLOOMERY_ASSIGN_OR_RETURN(const std::string_view name, fields.text());
    edit.added_family = std::string(name);
    return {};
  }
  BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t number, fields.number());
  if (tag == kFamily) {
    edit.family = number;
  }
  return {};
}

Status read_tag(Fields& fields, std::uint64_t tag, VersionEdit& edit) {
  const auto number_into = [&fields](std::optional<std::uint64_t>& field) -> Status {
    BLOOMERY_ASSIGN_OR_RETURN(field, fields.number());
    return {};
  };
  switch (tag) {
    case kComparator: {
      BLOOMERY_ASSIGN_OR_RETURN(const std::string_view name, fields.text());
      edit.comparator = std::string(name);
      return {};
    }
    case kLogNumber:
      return number_into(edit.log_number);
    case kNextFile:
      return number_into(edit.next_file);
    case kLastSequence:
      return number_into(edit.last_sequence);
    case kPreviousLog:
      return number_into(edit.previous_log);
    case kFirstLogToKeep:
      return number_into(edit.first_log_to_keep);
    case kInGroup:
      return number_into(edit.left_in_group);
    case kCompactPointer: {
      BLOOMERY_RETURN_IF_ERROR(fields.number());
      BLOOMERY_RETURN_IF_ERROR(fields.user_key());
      return {};
    }
    case kDeletedFile: {
      DeletedFile file;
      BLOOMERY_ASSIGN_OR_RETURN(file.level, fields.number());
      BLOOMERY_ASSIGN_OR_RETURN(file.number, fields.number());
      return append(edit, edit.deleted, file);
    }
    case kNewFile:
    case kNewFile2:
    case kNewFile3:
    case kNewFile4:
      return read_new_file(fields, tag, edit);
    case kFamily:
    case kFamilyAdd:
    case kFamilyDrop:
    case kHighestFamily:
      return read_family_tag(fields, tag, edit);
    case kBlobFile:
    case kOldBlobFile:
    case kBlobGarbage:
    case kOldBlobGarbage:
      return skip_blob_file(fields, tag == kBlobFile || tag == kOldBlobFile);
    case kLogWritten:
    case kLogsGone:
    case kLogWritten2:
    case kLogsGone2:
      return read_log_tag(fields, tag, edit);
    default:
      break;
  }
  if ((tag & kIgnorableTags) == 0) {
    return unknown_tag(fields, "field", tag);
  }
  BLOOMERY_RETURN_IF_ERROR(fields.bytes());
  return {};
}

}  // namespace

Result<VersionEdit> read_version_edit(std::span<const std::byte> record, std::uint64_t offset,
                                      std::shared_ptr<MemoryBudget> budget) {
  Fields fields(record, offset);
  VersionEdit edit;
  edit.memory = MemoryShare(std::move(budget));
  while (!fields.empty()) {
    BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t tag, fields.number());
    BLOOMERY_RETURN_IF_ERROR(read_tag(fields, tag, edit));
  }
  return edit;
}

}  // namespace bloomery::sstable
