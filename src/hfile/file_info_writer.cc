#include "hfile/file_info_writer.h"

#include <algorithm>
#include <limits>

#include "hfile/protobuf_writer.h"

namespace bloomery::hfile {

void FileInfoWriter::set(std::string_view name, std::string_view value) {
  entries_[std::string(name)] = value;
}

void FileInfoWriter::set_int32(std::string_view name, std::uint64_t value) {
  ByteWriter bytes;
  bytes.number(static_cast<std::uint32_t>(value));
  set(name, bytes.text());
}

void FileInfoWriter::set_int64(std::string_view name, std::int64_t value) {
  ByteWriter bytes;
  bytes.number(static_cast<std::uint64_t>(value));
  set(name, bytes.text());
}

void FileInfoWriter::set_bool(std::string_view name, bool value) {
  set(name, value ? "\xff" : std::string_view("\0", 1));
}

void FileInfoWriter::append_to(ByteWriter& out) const {
  ByteWriter message;
  ByteWriter entry;
  for (const auto& [name, value] : entries_) {
    entry.clear();
    append_bytes_field(entry, 1, name);
    append_bytes_field(entry, 2, value);
    append_bytes_field(message, 1, entry.text());
  }
  out.append("PBUF");
  append_delimited(out, message.text());
}

}  // namespace bloomery::hfile
