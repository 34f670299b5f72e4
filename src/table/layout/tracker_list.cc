#include "table/layout/tracker_list.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include <zlib.h>

#include "base/endian.h"
#include "base/message.h"
#include "hash/ascii_text.h"
#include "table/layout/disk_calls.h"
#include "table/layout/root_directory.h"

namespace bloomery::table {
namespace {

// Returns the number in the name of a list, or nothing for another name.
std::optional<std::uint64_t> list_number(std::string_view name) {
  if (!name.starts_with("f1") && !name.starts_with("f2")) {
    return std::nullopt;
  }
  name.remove_prefix(2);
  if (name.empty()) {
    return 0;
  }
  return name.front() == '.' ? number_from_text<std::uint64_t>(name.substr(1)) : std::nullopt;
}

using ListsByNumber = std::map<std::uint64_t, std::vector<std::string>, std::greater<>>;

// Sets `lists.newest` if one of these files is complete.
Status take_newest(FileSystem& files, const std::string& folder, const std::vector<std::string>& names,
                   TrackerLists& lists) {
  for (const std::string& name : names) {
    const std::string path = message(folder, "/", name);
    BLOOMERY_ASSIGN_OR_RETURN(const std::string bytes, read_small_file(files, path, kMostListBytes + 8));
    BLOOMERY_ASSIGN_OR_RETURN(auto found, in_file(parse_tracker_list(bytes), path));
    if (!found) {
      lists.truncated = path;
    } else if (lists.name.empty() || found->timestamp > lists.newest.timestamp) {
      lists.newest = std::move(*found);
      lists.name = name;
    }
  }
  return {};
}

}  // namespace

Result<TrackerLists> find_tracker_lists(FileSystem& files, const std::string& folder) {
  BLOOMERY_ASSIGN_OR_RETURN(const auto entries, list_if_there(files, folder));
  ListsByNumber by_number;
  TrackerLists lists;
  for (const DirectoryEntry& entry : entries) {
    const auto number = list_number(entry.name);
    if (number && !entry.is_directory) {
      by_number[*number].push_back(entry.name);
      lists.others.push_back(entry.name);
      lists.greatest_number = std::max(lists.greatest_number, *number);
    }
  }
  for (auto group = by_number.begin(); group != by_number.end() && lists.name.empty(); ++group) {
    if (group->second.size() > 2) {
      return Error::corruption(folder, 0, message("at most two lists of the number ", group->first),
                               group->second.size());
    }
    BLOOMERY_RETURN_IF_ERROR(take_newest(files, folder, group->second, lists));
  }
  std::erase(lists.others, lists.name);
  return lists;
}

Result<std::optional<TrackedFiles>> parse_tracker_list(std::string_view bytes) {
  constexpr const char* kSubject = "list of store files";
  const auto load = [&](std::size_t at) {
    return load_big32(reinterpret_cast<const std::byte*>(bytes.data() + at));
  };
  if (bytes.size() < 4) {
    return std::optional<TrackedFiles>();
  }
  const std::uint32_t size = load(0);
  if (size == 0 || size > kMostListBytes) {
    return Error::corruption(kSubject, 0, message("a length of 1 to ", kMostListBytes), size);
  }
  if (bytes.size() < std::size_t{size} + 8) {
    return std::optional<TrackedFiles>();
  }
  const std::string_view content = bytes.substr(4, size);
  const auto sum = static_cast<std::uint32_t>(
      ::crc32(0, reinterpret_cast<const Bytef*>(content.data()), static_cast<uInt>(content.size())));
  if (sum != load(4 + std::size_t{size})) {
    return Error::corruption(kSubject, 4 + std::uint64_t{size}, message("the checksum ", sum),
                             load(4 + std::size_t{size}));
  }
  BLOOMERY_ASSIGN_OR_RETURN(TrackedFiles files, parse_tracked_files(content, 4));
  if (files.version > 1) {
    return Error::unsupported(kSubject, 4, message("expected version 1, found ", files.version));
  }
  return std::optional(std::move(files));
}

}  // namespace bloomery::table
