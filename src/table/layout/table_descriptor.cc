#include "table/layout/table_descriptor.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <system_error>

#include "base/message.h"
#include "table/layout/disk_calls.h"
#include "table/layout/hbase_messages.h"
#include "table/layout/hbase_messages_writer.h"
#include "table/layout/root_directory.h"

namespace bloomery::table {
namespace {

struct DescriptorName {
  std::string text = {};
  std::uint64_t sequence = 0;
  std::optional<std::uint64_t> length = {};
};

std::optional<DescriptorName> parse_descriptor_name(std::string_view name) {
  constexpr std::string_view kBegin = ".tableinfo";
  if (!name.starts_with(kBegin)) {
    return std::nullopt;
  }
  DescriptorName parsed{.text = std::string(name)};
  name.remove_prefix(kBegin.size());
  for (int part = 0; !name.empty(); ++part) {
    std::uint64_t number = 0;
    const auto [stop, error] = std::from_chars(name.data() + 1, name.data() + name.size(), number);
    if (part == 2 || name.front() != '.' || error != std::errc()) {
      return std::nullopt;
    }
    part == 0 ? void(parsed.sequence = number) : void(parsed.length = number);
    name.remove_prefix(static_cast<std::size_t>(stop - name.data()));
  }
  return parsed;
}

std::string folder_of(const std::string& table) {
  return table + "/.tabledesc";
}

std::string descriptor_name(std::uint64_t sequence, std::size_t length) {
  std::string digits = std::to_string(sequence);
  digits.insert(0, digits.size() < 10 ? 10 - digits.size() : 0, '0');
  return message(".tableinfo.", digits, ".", length);
}

}  // namespace

Result<TableSchema> read_descriptor(FileSystem& files, const std::string& table) {
  const std::string folder = folder_of(table);
  BLOOMERY_ASSIGN_OR_RETURN(const auto entries, files.list(folder));
  std::optional<DescriptorName> newest;
  for (const DirectoryEntry& entry : entries) {
    const auto name = parse_descriptor_name(entry.name);
    if (name && !entry.is_directory && (!name->length || entry.size >= *name->length) &&
        (!newest || name->sequence >= newest->sequence)) {
      newest = name;
    }
  }
  if (!newest) {
    return Error::corruption(folder, 0, "a whole table descriptor (.tableinfo.SEQUENCE.LENGTH)", "none");
  }
  const std::string path = message(folder, "/", newest->text);
  BLOOMERY_ASSIGN_OR_RETURN(const std::string bytes, read_small_file(files, path, std::uint64_t{64} << 20));
  std::string_view left = std::string_view(bytes).substr(0, newest->length.value_or(bytes.size()));
  std::uint64_t place = 0;
  BLOOMERY_RETURN_IF_ERROR(in_file(take_magic(left, "table descriptor", place), path));
  return in_file(parse_table_schema(left, place), path);
}

Status write_descriptor(FileSystem& files, const std::string& table, const TableSchema& schema) {
  const std::string folder = folder_of(table);
  BLOOMERY_RETURN_IF_ERROR(make_directories(files, table, ".tabledesc"));
  BLOOMERY_ASSIGN_OR_RETURN(const auto entries, list_if_there(files, folder));
  std::vector<std::string> old;
  std::uint64_t sequence = 0;
  for (const DirectoryEntry& entry : entries) {
    if (const auto name = parse_descriptor_name(entry.name); name && !entry.is_directory) {
      sequence = std::max(sequence, name->sequence);
      old.push_back(entry.name);
    }
  }
  const std::string bytes = write_table_schema_file(schema);
  const std::string name = descriptor_name(sequence + 1, bytes.size());
  BLOOMERY_RETURN_IF_ERROR(replace_file(files, folder + "/.new", message(folder, "/", name), bytes));
  for (const std::string& each : old) {  // the greatest number counts, but no older one may come back
    BLOOMERY_RETURN_IF_ERROR(files.remove(message(folder, "/", each)));
  }
  return old.empty() ? Status() : files.sync_directory_of(message(folder, "/", name));
}

}  // namespace bloomery::table
