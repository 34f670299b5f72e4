// bloomery table verify: checks whether a table is whole: its descriptors, its regions, and each of its files.
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/byte_text.h"
#include "bloomery/table/verify.h"
#include "cli/exit_status.h"
#include "cli/hfile/verify_report.h"
#include "cli/numbers.h"
#include "cli/table/table_place.h"
#include "cli/table/table_verbs.h"

namespace bloomery::cli {
namespace {

constexpr const char* kVerb = "table verify";
constexpr const char* kDescription =
    R"(Check a table or a snapshot: its descriptors, its regions without holes and overlaps, every byte of its files.

  bloomery table verify --root /hbase --snapshot daily && echo whole
  bloomery table verify --json PLACE | jq '.files[] | select(.integrity != "ok")'

Each file that the table or snapshot needs is checked once, as `hfile verify` does it, also those behind references and
links. Exit status: 3 if something is damaged; 5 if a file has a form that is not read here; 2 if one is missing or
cannot be read.)";

struct Options {
  TablePlace place;
  bool json = false;
};

// The files of the table, each once: references and links lead several names to one.
std::vector<std::string> files_of(const Table& table) {
  std::vector<std::string> paths;
  for (const TableRegion& region : table.regions()) {
    for (const TableFile& file : region.files) {
      paths.push_back(file.path);
    }
  }
  std::ranges::sort(paths);
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  return paths;
}

class Run {
 public:
  explicit Run(const Options& options) : options_(options) {}

  Result<int> run() {
    BLOOMERY_ASSIGN_OR_RETURN(const FileMemory memory, options_.place.memory());
    BLOOMERY_ASSIGN_OR_RETURN(const Table table, options_.place.open(kVerb));
    const std::vector<std::string> files = files_of(table);
    for (const std::string& file : files) {
      check(file, memory);
    }
    if (options_.json) {
      const nlohmann::ordered_json object = {{"regions", table.regions().size()},
                                             {"warnings", table.warnings()},
                                             {"integrity", damaged_ == 0 ? "ok" : "damaged"},
                                             {"files", shown_}};
      fmt::print("{}\n", object.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
    } else {
      fmt::print("{} regions, {} files, {} damaged\n", show_count(table.regions().size()),
                 show_count(files.size()), show_count(damaged_));
    }
    return exit_status_;
  }

 private:
  void check(const std::string& file, const FileMemory& memory) {
    const Result<VerifiedHFile> verified = verify_hfile(file, memory);
    if (!verified) {
      ++damaged_;
      exit_status_ = graver(exit_status_, report(kVerb, verified.error()));
      shown_.push_back({{"file", file}, {"integrity", verified.error().to_string()}});
      return;
    }
    if (!verified->is_whole()) {
      ++damaged_;
      exit_status_ = graver(exit_status_, kDamaged);
    }
    if (options_.json) {
      shown_.push_back(integrity_json(file, *verified));
    } else {
      print_integrity(file, *verified);
    }
  }

  const Options& options_;
  int exit_status_ = kDone;
  std::uint64_t damaged_ = 0;
  nlohmann::ordered_json shown_ = nlohmann::ordered_json::array();
};

}  // namespace

void add_table_verify_verb(CLI::App& table, int& exit_status) {
  CLI::App* const verb = table.add_subcommand("verify", kDescription);
  const auto options = std::make_shared<Options>();
  verb->add_flag("--json", options->json, "one JSON object");
  options->place.add_to(*verb);
  verb->callback([options, &exit_status] {
    const Result<int> status = Run(*options).run();
    exit_status = status ? *status : report(kVerb, status.error());
  });
}

}  // namespace bloomery::cli
