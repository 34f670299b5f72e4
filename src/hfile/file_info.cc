#include "hfile/file_info.h"

#include <utility>

#include "base/endian.h"
#include "hfile/protobuf_reader.h"

namespace bloomery::hfile {
namespace {

constexpr const char* kFileInfoSubject = "file info block";
// A bound for the memory of an entry, and for each of its bytes. An entry is stored in a map here and again
// in HFileFacts; it is also escaped when it is shown.
constexpr std::uint64_t kInfoEntryBytes = 512;
constexpr std::uint64_t kTimesBytes = 8;

std::span<const std::byte> span_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

struct Entry {
  std::string_view name = {};
  std::string_view value = {};
};

Result<Entry> parse_entry(const ProtobufField& message) {
  BLOOMERY_ASSIGN_OR_RETURN(const std::string_view bytes, bytes_in(message, kFileInfoSubject));
  ProtobufReader reader(span_of(bytes), kFileInfoSubject, message.offset);
  Entry entry;
  while (true) {
    BLOOMERY_ASSIGN_OR_RETURN(const auto field, reader.next());
    if (!field) {
      return entry;
    }
    if (field->number == 1) {
      BLOOMERY_ASSIGN_OR_RETURN(entry.name, bytes_in(*field, kFileInfoSubject));
    } else if (field->number == 2) {
      BLOOMERY_ASSIGN_OR_RETURN(entry.value, bytes_in(*field, kFileInfoSubject));
    }
  }
}

}  // namespace

Result<FileInfo> FileInfo::parse(std::span<const std::byte> payload, std::uint64_t offset,
                                 MemoryShare memory) {
  const std::string_view text(reinterpret_cast<const char*>(payload.data()), payload.size());
  if (!text.starts_with(kProtobufMagic)) {
    return Error::corruption(kFileInfoSubject, offset, "PBUF in front", "other bytes");
  }
  const auto body = payload.subspan(kProtobufMagic.size());
  BLOOMERY_ASSIGN_OR_RETURN(const DelimitedMessage message,
                            read_delimited(body, kFileInfoSubject, offset + kProtobufMagic.size()));
  if (message.size_bytes != body.size()) {
    return Error::corruption(kFileInfoSubject, offset, "the end behind the entries",
                             std::to_string(body.size() - message.size_bytes) + " more bytes");
  }
  ProtobufReader reader(message.message, kFileInfoSubject, offset);
  FileInfo info;
  info.offset_ = offset;
  info.memory_ = std::move(memory);
  while (true) {
    BLOOMERY_ASSIGN_OR_RETURN(const auto field, reader.next());
    if (!field) {
      return info;
    }
    if (field->number != 1) {
      continue;
    }
    BLOOMERY_ASSIGN_OR_RETURN(const Entry entry, parse_entry(*field));
    BLOOMERY_RETURN_IF_ERROR(info.memory_.add(
        kFileInfoSubject, kInfoEntryBytes + kTimesBytes * (entry.name.size() + entry.value.size())));
    if (!info.entries_.emplace(entry.name, entry.value).second) {
      return Error::corruption(kFileInfoSubject, offset, std::string(entry.name) + " once", "it twice");
    }
  }
}

std::optional<std::string_view> FileInfo::find(std::string_view name) const {
  const auto found = entries_.find(name);
  return found == entries_.end() ? std::nullopt : std::optional<std::string_view>(found->second);
}

Error FileInfo::wrong_size(std::string_view name, std::size_t expected, std::size_t found) const {
  return Error::corruption(kFileInfoSubject, offset_,
                           std::to_string(expected) + " bytes in " + std::string(name), found);
}

Result<std::optional<std::int32_t>> FileInfo::int32_of(std::string_view name) const {
  const auto value = find(name);
  if (value && value->size() != 4) {
    return wrong_size(name, 4, value->size());
  }
  return value ? std::optional(static_cast<std::int32_t>(load_big32(span_of(*value).data()))) : std::nullopt;
}

Result<std::optional<std::int64_t>> FileInfo::int64_of(std::string_view name) const {
  const auto value = find(name);
  if (value && value->size() != 8) {
    return wrong_size(name, 8, value->size());
  }
  return value ? std::optional(static_cast<std::int64_t>(load_big64(span_of(*value).data()))) : std::nullopt;
}

Result<bool> FileInfo::is_true(std::string_view name) const {
  const auto value = find(name);
  if (value && value->size() != 1) {
    return wrong_size(name, 1, value->size());
  }
  return value && (*value)[0] != '\0';
}

}  // namespace bloomery::hfile
