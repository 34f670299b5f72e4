#include "table/store_files.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>

#include <system_error>

#include "base/directory.h"
#include "hfile/recognition.h"
#include "table/layout/region_order.h"
#include "table/layout/root_directory.h"
#include "table/layout/store_file_name.h"

namespace bloomery::table {
namespace {

namespace fs = std::filesystem;

// Returns every file below the directory, sorted, except in folders whose names begin with a period.
Result<std::vector<std::string>> all_files(const std::string& path) {
  std::error_code code;
  std::vector<std::string> files;
  fs::recursive_directory_iterator at(path, code);
  for (; !code && at != fs::recursive_directory_iterator(); at.increment(code)) {
    std::error_code unknown;
    if (at->is_directory(unknown)) {
      if (at->path().filename().string().starts_with('.')) {
        at.disable_recursion_pending();
      }
    } else {
      files.push_back(at->path().string());
    }
  }
  if (code) {
    return Error::io(path, "read", code.value());
  }
  std::ranges::sort(files);
  return files;
}

// Returns the root directory of a family's directory ROOT/data/NAMESPACE/TABLE/REGION/FAMILY, or of the same
// path below ROOT/archive, ROOT/.tmp or ROOT/mobdir. Returns nothing for any other directory.
std::optional<RootDirectory> root_of(const std::string& family) {
  std::error_code code;
  fs::path data = fs::absolute(family, code).lexically_normal();
  for (int level = 0; level < 4; ++level) {
    data = data.parent_path();
  }
  if (data.filename() != "data") {
    return std::nullopt;
  }
  const fs::path above = data.parent_path();
  const std::string name = above.filename().string();
  const bool is_second = name == "archive" || name == ".tmp" || name == "mobdir";
  return RootDirectory((is_second ? above.parent_path() : above).string());
}

// Returns the target of a link. Errors: kNotFound, also if no root directory is known.
Result<std::string> target_of(const StoreFilePlace& link, const fs::path& path) {
  const std::string family = path.parent_path().string();
  const auto root = root_of(family);
  if (!root) {
    return Error(ErrorCode::kNotFound, family,
                 "expected it below ROOT/data/NAMESPACE/TABLE/REGION/FAMILY, found it elsewhere");
  }
  return root->find(link, path.parent_path().filename().string());
}

// Returns the paths of regions that a split or a merge has replaced, sorted. A region whose .regioninfo
// cannot be read counts as live. If regions have holes or overlaps, all count as live.
std::vector<std::string> replaced_regions(const std::string& table) {
  const auto entries = list_directory(table);
  std::vector<RegionInfo> infos;
  std::vector<std::string> paths;
  for (const DirectoryEntry& entry : entries ? *entries : std::vector<DirectoryEntry>()) {
    const std::string path = (fs::path(table) / entry.name).string();
    const auto bytes = entry.is_directory ? read_small_file(FileSystem::real(), path + "/.regioninfo",
                                                            std::uint64_t{1} << 20)
                                          : Result<std::string>(std::string());
    auto info = bytes && !bytes->empty() ? parse_region_info_file(*bytes) : Result<RegionInfo>(RegionInfo());
    if (bytes && !bytes->empty() && info && info->encoded_name() == entry.name) {
      infos.push_back(std::move(*info));
      paths.push_back(path);
    }
  }
  RegionOrder order = order_regions(infos);
  std::ranges::sort(order.living);
  std::vector<std::string> replaced;
  for (std::size_t i = 0; i < paths.size() && order.faults.empty(); ++i) {
    if (!std::ranges::binary_search(order.living, i)) {
      replaced.push_back(paths[i]);
    }
  }
  std::ranges::sort(replaced);
  return replaced;
}

// The files below a directory, store by store.
class FileFinder {
 public:
  explicit FileFinder(fs::path top) : top_(std::move(top)) {}

  void add(const std::string& path);
  FoundFiles result();

 private:
  void add_other(const fs::path& path);
  bool is_replaced(const fs::path& path);

  fs::path top_;
  FoundFiles found_;
  std::map<std::string, std::vector<std::string>> stores_;
  std::map<std::string, std::vector<std::string>> replaced_;  // regions by the table's directory
};

// Returns true if another region has replaced the file's region. If the search began at a region or family,
// its region does not count as replaced.
bool FileFinder::is_replaced(const fs::path& path) {
  const fs::path region = path.parent_path().parent_path();
  const fs::path table = region.parent_path();
  if (table.string().size() < top_.string().size()) {
    return false;
  }
  const auto [regions, is_new] = replaced_.try_emplace(table.string());
  if (is_new) {
    regions->second = replaced_regions(table.string());
    std::ranges::copy(regions->second, std::back_inserter(found_.replaced));
  }
  return std::ranges::binary_search(regions->second, region.string());
}

// Adds a file that is not an HFile: a reference, a link, or any other file.
void FileFinder::add_other(const fs::path& path) {
  const std::string store = path.parent_path().string();
  const auto name = parse_store_file_name(path.filename().string());
  if (name && name->referred_region) {
    found_.uncounted.push_back({path.string(), store, "a reference to a half of another file"});
    return;
  }
  if (!name || !name->link) {
    found_.others.push_back(path.string());
    return;
  }
  const Result<std::string> target = target_of(*name->link, path);
  const Result<bool> is_one = target ? hfile::looks_like_hfile(*target) : Result<bool>(target.error());
  if (is_one && *is_one) {
    stores_[store].push_back(*target);
    return;
  }
  const std::string why =
      is_one ? *target + " is no HFile" : "in " + is_one.error().subject() + ": " + is_one.error().detail();
  found_.uncounted.push_back({path.string(), store, "a link: " + why});
}

void FileFinder::add(const std::string& path) {
  if (is_replaced(path)) {
    return;
  }
  const Result<bool> is_one = hfile::looks_like_hfile(path);
  if (!is_one) {
    found_.errors.push_back(is_one.error());
  } else if (*is_one) {
    stores_[fs::path(path).parent_path().string()].push_back(path);
  } else {
    add_other(path);
  }
}

FoundFiles FileFinder::result() {
  for (auto& [directory, files] : stores_) {
    std::ranges::sort(files);
    found_.stores.push_back({directory, std::move(files)});
  }
  std::ranges::sort(found_.replaced);
  return std::move(found_);
}

}  // namespace

// The files of one directory count as one store.
Result<FoundFiles> find_hfiles(const std::string& path) {
  std::error_code code;
  const fs::file_status status = fs::status(path, code);
  if (status.type() == fs::file_type::not_found) {
    return Error::io(path, "open", ENOENT);
  }
  if (status.type() != fs::file_type::directory) {
    return Error::invalid_argument(path, "expected a directory of HFiles, found another file");
  }
  BLOOMERY_ASSIGN_OR_RETURN(const std::vector<std::string> files, all_files(path));
  fs::path top(path);
  FileFinder finder(top.has_filename() ? top : top.parent_path());  // without a trailing slash
  for (const std::string& file : files) {
    finder.add(file);
  }
  return finder.result();
}

}  // namespace bloomery::table
