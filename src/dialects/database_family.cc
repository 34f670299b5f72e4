// The files of a column family, grouped by level, and which of them a key is asked of.
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

// Returns the first file of a level that has to be asked.
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
  double sum = 0;
  double all_bytes = 0;
  double all_say_no = 1;
  for (std::size_t i = level.begin; i < level.end; ++i) {
    const double fpp = files[i].filter == nullptr ? 1 : files[i].filter->current_fpp();
    const double bytes = static_cast<double>(files[i].size_bytes) + 1;  // a key falls where the keys are
    sum += fpp * bytes;
    all_bytes += bytes;
    all_say_no *= 1 - fpp;
  }
  return level.is_sorted ? sum / all_bytes : 1 - all_say_no;
}

double DatabaseFamily::current_fpp() const {
  double all_say_no = 1;
  for (const Level& level : levels_) {
    all_say_no *= 1 - fpp_of(level);
  }
  return 1 - all_say_no;
}

}  // namespace bloomery
