#include "codec/sstable/write_batch.h"

#include <array>
#include <string>

#include "base/varint.h"

namespace bloomery::sstable {
namespace {

constexpr const char* kWriteBatchSubject = "write batch";
constexpr std::size_t kBatchHeaderBytes = 12;  // sequence number and number of writes

// The layout of a write after its type.
struct Parts {
  bool known = false;
  bool family = false;
  bool key = false;
  unsigned texts = 0;  // number of texts, the key included
};

constexpr Parts kNoKey = {.known = true, .family = false, .key = false, .texts = 0};
constexpr Parts kNote = {.known = true, .family = false, .key = false, .texts = 1};
constexpr Parts kTwoNotes = {.known = true, .family = false, .key = false, .texts = 2};
constexpr Parts kKey = {.known = true, .family = false, .key = true, .texts = 1};
constexpr Parts kKeyAndValue = {.known = true, .family = false, .key = true, .texts = 2};
constexpr Parts kFamilyKey = {.known = true, .family = true, .key = true, .texts = 1};
constexpr Parts kFamilyKeyAndValue = {.known = true, .family = true, .key = true, .texts = 2};
constexpr Parts kUnknown = {};

constexpr std::array<Parts, 26> kParts = {
    kKey,                // 0 delete
    kKeyAndValue,        // 1 put
    kKeyAndValue,        // 2 merge
    kNote,               // 3 data that the program wrote only to the log
    kFamilyKey,          // 4 delete
    kFamilyKeyAndValue,  // 5 put
    kFamilyKeyAndValue,  // 6 merge
    kKey,                // 7 single delete
    kFamilyKey,          // 8 single delete
    kNoKey,              // 9 begin of a prepared transaction
    kNote,               // 10 prepare
    kNote,               // 11 commit
    kNote,               // 12 rollback
    kNoKey,              // 13 no operation
    kFamilyKeyAndValue,  // 14 delete of a range
    kKeyAndValue,        // 15 delete of a range
    kFamilyKeyAndValue,  // 16 put of a value in a blob file
    kKeyAndValue,        // 17 put of a value in a blob file
    kNoKey,              // 18 like 9
    kNoKey,              // 19 like 9
    kUnknown,            // 20 occurs only in tables
    kTwoNotes,           // 21 commit with a timestamp
    kKeyAndValue,        // 22 put of columns
    kFamilyKeyAndValue,  // 23 put of columns
    kKeyAndValue,        // 24 put of a value with a write time
    kFamilyKeyAndValue,  // 25 put of a value with a write time
};

Result<std::string_view> next_text(std::span<const std::byte>& left, std::uint64_t offset) {
  BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t size, read_next_varint(left, offset));
  if (size > left.size()) {
    return Error::corruption(kWriteBatchSubject, offset,
                             "a text of at most " + std::to_string(left.size()) + " bytes", size);
  }
  const std::string_view text(reinterpret_cast<const char*>(left.data()), size);
  left = left.subspan(size);
  return text;
}

}  // namespace

Status visit_write_batch(std::span<const std::byte> record, std::uint64_t offset, const KeyVisitor& visit) {
  if (record.size() < kBatchHeaderBytes) {
    return Error::corruption(kWriteBatchSubject, offset, "12 bytes or more", record.size());
  }
  std::span<const std::byte> left = record.subspan(kBatchHeaderBytes);
  while (!left.empty()) {
    const auto type = static_cast<std::size_t>(left.front());
    left = left.subspan(1);
    const Parts parts = type < kParts.size() ? kParts[type] : kUnknown;
    if (!parts.known) {
      return Error::unsupported(kWriteBatchSubject, offset,
                                "expected a known type of write, found " + std::to_string(type));
    }
    std::uint64_t family = 0;
    if (parts.family) {
      BLOOMERY_ASSIGN_OR_RETURN(family, read_next_varint(left, offset));
    }
    for (unsigned i = 0; i < parts.texts; ++i) {
      BLOOMERY_ASSIGN_OR_RETURN(const std::string_view text, next_text(left, offset));
      if (parts.key && i == 0) {
        BLOOMERY_RETURN_IF_ERROR(visit(static_cast<std::uint32_t>(family), text));
      }
    }
  }
  return {};
}

}  // namespace bloomery::sstable
