// The files of a column family, grouped by level, and the choice of files that a key is queried in.
#include <algorithm>
#include <iterator>

#include "bloomery/dialects/database.h"
#include "codec/sstable/live_files.h"

namespace bloomery {
namespace {

DatabaseAnswer ask_file(const DatabaseFile& file, std::string_view key) {
  if (file.filter == nullptr) {
    return DatabaseAnswer::kForced;
  }
  if (!file.filter->may_contain(key)) {
    return DatabaseAnswer::kNo;
  }
  return file.filter->can_tell(key) ? DatabaseAnswer::kMaybe : DatabaseAnswer::kForced;
}

}  // namespace

bool DatabaseFamily::is_bytewise() const {
  return comparator == sstable::kBytewiseComparator;
}

void DatabaseFamily::group_levels() {
  std::ranges::sort(files, [](const DatabaseFile& a, const DatabaseFile& b) {
    return std::tie(a.level, a.smallest, a.number) < std::tie(b.level, b.smallest, b.number);
  });
  for (std::size_t begin = 0, end = 0; begin < files.size(); begin = end) {
    bool is_sorted = is_bytewise() && files[begin].level != 0;
    for (end = begin; end < files.size() && files[end].level == files[begin].level; ++end) {
      is_sorted = is_sorted && files[end].smallest <= files[end].largest &&
                  (end == begin || files[end - 1].largest <= files[end].smallest);
    }
    levels_.push_back({.begin = begin, .end = end, .is_sorted = is_sorted});
  }
}

// Returns the first file of a level that must be queried.
std::size_t DatabaseFamily::first_asked(const Level& level, std::string_view key) const {
  if (!level.is_sorted) {
    return level.begin;
  }
  const auto begin = files.begin() + static_cast<std::ptrdiff_t>(level.begin);
  const auto end = files.begin() + static_cast<std::ptrdiff_t>(level.end);
  const auto found = std::ranges::lower_bound(
      begin, end, key, {}, [](const DatabaseFile& file) { return std::string_view(file.largest); });
  return static_cast<std::size_t>(found - files.begin());
}

DatabaseAnswer DatabaseFamily::ask(std::string_view key) const {
  DatabaseAnswer answer = DatabaseAnswer::kNo;
  for (const Level& level : levels_) {
    for (std::size_t i = first_asked(level, key); i < level.end; ++i) {
      const DatabaseFile& file = files[i];
      if (is_bytewise() && key < file.smallest) {
        break;  // files ascend by their first keys
      }
      if (is_bytewise() && key > file.largest) {
        continue;
      }
      const DatabaseAnswer of_file = ask_file(file, key);
      if (of_file == DatabaseAnswer::kMaybe) {
        return of_file;
      }
      answer = of_file == DatabaseAnswer::kNo ? answer : of_file;
    }
  }
  return answer;
}

double DatabaseFamily::fpp_of(const Level& level) const {
  const auto fpp = [this](std::size_t i) {
    return files[i].filter == nullptr ? 1 : files[i].filter->current_fpp();
  };
  if (!level.is_sorted) {
    double all_say_no = 1;
    for (std::size_t i = level.begin; i < level.end; ++i) {
      all_say_no *= 1 - fpp(i);
    }
    return 1 - all_say_no;
  }
  // A filter's fpp costs about a millisecond, and a level may have thousands of files. So a sample of this
  // size represents all files with a filter.
  constexpr std::size_t kMostAsked = 64;
  const std::size_t step = (level.end - level.begin + kMostAsked - 1) / kMostAsked;
  double asked_sum = 0;  // each file is weighted by its bytes, since keys are distributed like the data
  double asked_bytes = 0;
  double filtered_bytes = 0;
  double bare_bytes = 0;
  std::size_t filtered = 0;
  for (std::size_t i = level.begin; i < level.end; ++i) {
    const double bytes = static_cast<double>(files[i].size_bytes) + 1;
    if (files[i].filter == nullptr) {
      bare_bytes += bytes;
      continue;
    }
    filtered_bytes += bytes;
    if (filtered++ % step == 0) {
      asked_sum += fpp(i) * bytes;
      asked_bytes += bytes;
    }
  }
  const double mean = filtered == 0 ? 0 : asked_sum / asked_bytes;
  return (mean * filtered_bytes + bare_bytes) / (filtered_bytes + bare_bytes);
}

double DatabaseFamily::current_fpp() const {
  double all_say_no = 1;
  for (const Level& level : levels_) {
    all_say_no *= 1 - fpp_of(level);
  }
  return 1 - all_say_no;
}

}  // namespace bloomery
