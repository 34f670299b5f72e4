// The complete sstables of tests/golden/cassandra-written, and the keys that each has.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/base/test_folder.h"
#include "tests/codec/cassandra_keys.h"
#include "tests/codec/golden_archive.h"

namespace bloomery {

struct GoldenSSTable {
  std::string release;  // "nb-5.0.6"
  std::string table;    // the folder
  std::string prefix;   // "nb-1-big-"
  bool has_filter = true;
  std::set<std::string> keys;

  const std::map<std::string, std::string>& files() const;
  std::string folder() const { return release + "/" + table + "/"; }
  const std::string& file(const std::string& component) const {
    return files().at(folder() + prefix + component);
  }
  // Writes all files of the table, of which the sstable may be one of three.
  void lay_out(const TestFolder& to) const {
    for (auto at = files().lower_bound(folder()); at != files().end() && at->first.starts_with(folder());
         ++at) {
      if (at->first != folder()) {
        to.write(at->first.substr(folder().size()), at->second);
      }
    }
  }
};

inline const std::map<std::string, std::string>& sstable_archive(const std::string& release) {
  static std::map<std::string, std::map<std::string, std::string>> known;
  const auto found = known.find(release);
  return found != known.end()
             ? found->second
             : known.emplace(release, golden_archive("cassandra-written/" + release)).first->second;
}

inline const std::map<std::string, std::string>& GoldenSSTable::files() const {
  return sstable_archive(release);
}

// The keys by the rule of tests/golden/cassandra/README.md. `flush` is the number of the sstable in its table.
inline std::set<std::string> keys_of_sstable(const std::map<std::string, std::string>& row,
                                             std::uint64_t flush) {
  const std::string& made_by = row.at("made_by");
  std::uint64_t first = 0;
  std::uint64_t count = row.at("fp_chance") == "1.0" ? 0 : std::stoull(row.at("keys_asked"));
  if (made_by == "CQLSSTableWriter") {
    first = 700;
  } else if (row.at("table").ends_with("_three_flushes") && flush > 0) {
    first = 20 * flush;
    count = 60;
  } else if (row.at("table").ends_with("_compacted")) {
    count = 100;
  }
  std::set<std::string> keys;
  const cassandra_keys::Family family = cassandra_keys::family(row.at("family"));
  for (std::uint64_t i = first; i < first + count; ++i) {
    keys.insert(family.key(i).bytes);
  }
  return keys;
}

inline const std::vector<std::string>& golden_releases() {
  static const std::vector<std::string> releases = {"me-3.11.19", "nb-5.0.6", "oa-5.0.6-uuid-ids",
                                                    "bti-da-5.0.6"};
  return releases;
}

inline std::vector<GoldenSSTable> golden_sstables(const std::string& release) {
  std::vector<GoldenSSTable> sstables;
  std::map<std::string, std::uint64_t> flushes;
  for (const auto& row : rows_of(sstable_archive(release).at(release + "/manifest.csv"))) {
    sstables.push_back({.release = release,
                        .table = row.at("table"),
                        .prefix = row.at("sstable") + "-",
                        .has_filter = row.at("fp_chance") != "1.0",
                        .keys = keys_of_sstable(row, flushes[row.at("table")]++)});
  }
  return sstables;
}

// The first sstable of a table.
inline GoldenSSTable golden_sstable(const std::string& release, const std::string& table) {
  const std::vector<GoldenSSTable> all = golden_sstables(release);
  return *std::ranges::find(all, table, &GoldenSSTable::table);
}

}  // namespace bloomery
