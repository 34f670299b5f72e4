// bloomery table splits: suggests rows at which to split a table.
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/byte_text.h"
#include "bloomery/table/split_advice.h"
#include "cli/exit_status.h"
#include "cli/numbers.h"
#include "cli/table/table_place.h"
#include "cli/verbs.h"

namespace bloomery::cli {
namespace {

constexpr const char* kTableSplitsVerb = "table splits";
constexpr const char* kTableSplitsDescription =
    R"(Suggest the rows at which a table could be split, so that its regions hold about equally many bytes.

  bloomery table splits --regions 16 PLACE > splits.txt
  bloomery hfile write --splits splits.txt -o to-load sorted.tsv       # files for a table that is made with them
  bloomery table splits --region-bytes 10GB --root /hbase --table shop:orders

One escaped row a line. It reads the indexes of the files and no cell: each data block counts with its bytes on disk. A
table with few blocks gets fewer regions than were asked for.)";

struct TableSplitsOptions {
  TablePlace place;
  std::string regions;
  std::string region_bytes;
  bool json = false;
};

Result<SplitWish> wish_of(const TableSplitsOptions& options) {
  SplitWish wish;
  if (options.regions.empty() == options.region_bytes.empty()) {
    return Error::invalid_argument("--regions", "expected either --regions or --region-bytes");
  }
  if (!options.regions.empty()) {
    BLOOMERY_ASSIGN_OR_RETURN(wish.regions, parse_count("--regions", options.regions));
    return wish;
  }
  BLOOMERY_ASSIGN_OR_RETURN(wish.region_bytes, parse_size("--region-bytes", options.region_bytes));
  if (wish.region_bytes == 0) {
    return Error::invalid_argument("--region-bytes", "expected a size of a byte at least, found 0");
  }
  return wish;
}

void print_splits_json(const SplitAdvice& advice) {
  nlohmann::ordered_json keys = nlohmann::ordered_json::array();
  for (const std::string& key : advice.keys) {
    keys.push_back(escape_bytes(key));
  }
  const nlohmann::ordered_json object = {{"keys", keys}, {"region_bytes", advice.region_bytes}};
  fmt::print("{}\n", object.dump(2));
}

Result<int> splits(const TableSplitsOptions& options) {
  BLOOMERY_ASSIGN_OR_RETURN(const SplitWish wish, wish_of(options));
  BLOOMERY_ASSIGN_OR_RETURN(const FileMemory memory, options.place.memory());
  BLOOMERY_ASSIGN_OR_RETURN(const Table table, options.place.open(kTableSplitsVerb));
  BLOOMERY_ASSIGN_OR_RETURN(const SplitAdvice advice, advise_splits(table, wish, memory));
  if (wish.regions > advice.region_bytes.size()) {
    warn(kTableSplitsVerb, fmt::format("note: the data blocks of the table allow {} regions, not {}",
                                       show_count(advice.region_bytes.size()), show_count(wish.regions)));
  }
  if (options.json) {
    print_splits_json(advice);
    return static_cast<int>(kDone);
  }
  for (const std::string& key : advice.keys) {
    fmt::print("{}\n", escape_bytes(key));
  }
  return static_cast<int>(advice.keys.empty() ? kNothing : kDone);
}

}  // namespace

void add_table_splits_verb(CLI::App& table, int& exit_status) {
  CLI::App* const verb = table.add_subcommand("splits", kTableSplitsDescription);
  const auto options = std::make_shared<TableSplitsOptions>();
  verb->add_option("--regions", options->regions, "how many regions there shall be, up to 65,536");
  verb->add_option("--region-bytes", options->region_bytes,
                   "SIZE on disk that a region shall have, such as 10GB");
  verb->add_flag("--json", options->json, "one JSON object, with the bytes of each region");
  options->place.add_to(*verb);
  verb->callback([options, &exit_status] {
    const Result<int> status = splits(*options);
    exit_status = status ? *status : report(kTableSplitsVerb, status.error());
  });
}

}  // namespace bloomery::cli
