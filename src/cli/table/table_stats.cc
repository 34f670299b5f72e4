// bloomery table stats: shows the sizes of a table's keys, values and rows.
#include <array>
#include <atomic>
#include <cerrno>
#include <memory>
#include <string>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/byte_text.h"
#include "bloomery/table/statistics.h"
#include "cli/exit_status.h"
#include "cli/json.h"
#include "cli/numbers.h"
#include "cli/progress.h"
#include "cli/stop_signal.h"
#include "cli/table/table_place.h"
#include "cli/verbs.h"

namespace bloomery::cli {
namespace {

constexpr const char* kTableStatsVerb = "table stats";
constexpr const char* kTableStatsDescription =
    R"(Show how large the keys, values and rows of a table are, for each family, and which row is the largest.

  bloomery table stats --root /hbase --table shop:orders
  bloomery table stats --json PLACE | jq '.families[] | {name, largest_row}'

These are the numbers of HBase's own tool, `hbase hfile -s`, for all files of a family together. Every cell of every file
counts, also old versions, markers, and what they hide. A row that lies in several files counts in each. What only a log
has counts as one more file.)";

struct TableStatsOptions {
  TablePlace place;
  bool json = false;
};

// Returns the size distributions of a family, with the names that text and JSON show.
std::array<std::pair<const char*, const SizeSpread*>, 5> spreads_of(const FamilyStatistics& family) {
  return {{{"key_bytes", &family.key_bytes},
           {"last_key_bytes", &family.last_key_bytes},
           {"value_bytes", &family.value_bytes},
           {"row_bytes", &family.row_bytes},
           {"row_cells", &family.row_cells}}};
}

void print_statistics_text(const FamilyStatistics& family) {
  fmt::print("family          {}: {}, {}, {} of them deletes\n", escape_bytes(family.name),
             show_count_of(family.files, "file"), show_count_of(family.cells, "cell"),
             show_count(family.deletes));
  if (family.cells == 0) {
    return;
  }
  fmt::print("timestamps      {} to {}\n", family.least_timestamp, family.most_timestamp);
  fmt::print("{:14} {:>11} {:>8} {:>11} {:>11} {:>11} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}\n", "", "count",
             "least", "most", "mean", "deviation", "median", "75 %", "95 %", "98 %", "99 %", "99.9 %");
  for (const auto& [name, sizes] : spreads_of(family)) {
    fmt::print("{:14} {:>11} {:>8} {:>11} {:>11.2f} {:>11.2f} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}\n", name,
               sizes->count, sizes->least, sizes->most, sizes->mean, sizes->deviation, sizes->median,
               sizes->at_75, sizes->at_95, sizes->at_98, sizes->at_99, sizes->at_999);
  }
  fmt::print("largest row     {}: {}, in {}\n", escape_bytes(family.largest_row),
             show_bytes(family.row_bytes.most), printable_text(family.largest_row_file));
}

Json describe_statistics(const FamilyStatistics& family) {
  Json object = {{"name", escape_bytes(family.name)},
                 {"files", family.files},
                 {"cells", family.cells},
                 {"deletes", family.deletes},
                 {"least_timestamp", family.least_timestamp},
                 {"most_timestamp", family.most_timestamp}};
  for (const auto& [name, sizes] : spreads_of(family)) {
    object[name] = {{"count", sizes->count}, {"least", sizes->least},         {"most", sizes->most},
                    {"mean", sizes->mean},   {"deviation", sizes->deviation}, {"median", sizes->median},
                    {"at_75", sizes->at_75}, {"at_95", sizes->at_95},         {"at_98", sizes->at_98},
                    {"at_99", sizes->at_99}, {"at_999", sizes->at_999}};
  }
  object["largest_row"] = escape_bytes(family.largest_row);
  object["largest_row_file"] = family.largest_row_file;
  return object;
}

Result<int> stats(const TableStatsOptions& options) {
  BLOOMERY_ASSIGN_OR_RETURN(const FileMemory memory, options.place.memory());
  BLOOMERY_ASSIGN_OR_RETURN(const Table table, options.place.open(kTableStatsVerb));
  const std::atomic<bool>& stop = catch_stop_signals();
  Progress progress(kTableStatsVerb);
  const auto statistics = table_statistics(table, memory, [&](std::size_t file, std::size_t files) -> Status {
    progress.update_steps("files", file, files);
    return stop ? Status(Error::io(kTableStatsVerb, "count", EINTR)) : Status();
  });
  if (!statistics && stop && statistics.error().errno_value() == EINTR) {
    warn(kTableStatsVerb, "interrupted; nothing was counted to its end");
    return static_cast<int>(kInterrupted);
  }
  if (!statistics) {
    return statistics.error();
  }
  Json families = Json::array();
  for (const FamilyStatistics& family : *statistics) {
    if (options.json) {
      families.push_back(describe_statistics(family));
    } else {
      print_statistics_text(family);
    }
  }
  if (options.json) {
    fmt::print("{}\n", Json({{"families", families}}).dump(2, ' ', false, Json::error_handler_t::replace));
  }
  return static_cast<int>(kDone);
}

}  // namespace

void add_table_stats_verb(CLI::App& table, int& exit_status) {
  CLI::App* const verb = table.add_subcommand("stats", kTableStatsDescription);
  const auto options = std::make_shared<TableStatsOptions>();
  verb->add_flag("--json", options->json, "one JSON object");
  options->place.add_to(*verb);
  verb->callback([options, &exit_status] {
    const Result<int> status = stats(*options);
    exit_status = status ? *status : report(kTableStatsVerb, status.error());
  });
}

}  // namespace bloomery::cli
