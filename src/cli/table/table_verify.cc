// bloomery table verify: checks whether a table is intact: its descriptors, its regions, its files, and where
// the files are in the table.
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/byte_text.h"
#include "bloomery/table/placement.h"
#include "bloomery/table/verify.h"
#include "cli/exit_status.h"
#include "cli/hfile/reports.h"
#include "cli/numbers.h"
#include "cli/table/table_place.h"
#include "cli/verbs.h"
#include "store/store_check.h"

namespace bloomery::cli {
namespace {

constexpr const char* kTableVerifyVerb = "table verify";
constexpr const char* kTableVerifyDescription =
    R"(Check a table or a snapshot: its descriptors, its regions without holes and overlaps, every byte of its files.

  bloomery table verify --root /hbase --snapshot daily && echo whole
  bloomery table verify shop                        # a root that `table create` made: all its tables, lists and logs
  bloomery table verify --json PLACE | jq '.files[] | select(.integrity != "ok")'

It finds: files that are listed and gone, files that lost all their bytes, references and links that lead nowhere, damaged
lists; regions without .regioninfo, holes and overlaps between regions; cells outside their file's region, or in the folder
of another family; damage of logs that HBase would replay; and in each file all that `hfile verify` finds. A file is
checked once, also behind references and links. HBase's logs have no checksum, so of logs only some damage is found.
Exit status: 3 if something is damaged or in the wrong place; 5 if a file has a form that is not read here; 2 if one is
missing or cannot be read.)";

struct TableVerifyOptions {
  TablePlace place;
  bool json = false;
};

// One place of a file in the table. By references and links, a file may have several places.
struct Listing {
  const TableRegion* region;
  const TableFile* file;
};

std::map<std::string, std::vector<Listing>> listings_of(const std::vector<TableRegion>& regions) {
  std::map<std::string, std::vector<Listing>> by_path;
  for (const TableRegion& region : regions) {
    for (const TableFile& file : region.files) {
      by_path[file.path].push_back({&region, &file});
    }
  }
  return by_path;
}

class TableVerifyRun {
 public:
  explicit TableVerifyRun(const TableVerifyOptions& options) : options_(options) {}

  Result<int> run() {
    if (const auto root = options_.place.store_root()) {
      BLOOMERY_RETURN_IF_ERROR(check_root(*root));
    } else {
      BLOOMERY_RETURN_IF_ERROR(check_table(options_.place));
    }
    options_.json ? print_json() : print_text();
    return exit_status_;
  }

 private:
  // Checks what the store adds, and each table.
  Status check_root(const std::string& root) {
    BLOOMERY_ASSIGN_OR_RETURN(const FileMemory memory, options_.place.memory());
    auto checked = store::check_store(FileSystem::real(), root, memory);
    if (!checked && checked.error().code() != ErrorCode::kCorruption) {
      return checked.error();
    }
    for (const Error& fault : checked ? checked->faults : std::vector<Error>{checked.error()}) {
      see(fault);
    }
    store_ = checked ? *checked : store::StoreCheck();
    BLOOMERY_ASSIGN_OR_RETURN(const RootListing listing, Table::list(root));
    for (const std::string& name : listing.tables) {
      const Status table = check_table(options_.place.table_of(root, name));
      if (!table) {
        see(table.error());
      }
    }
    return {};
  }

  Status check_table(const TablePlace& place) {
    BLOOMERY_ASSIGN_OR_RETURN(const FileMemory memory, place.memory());
    BLOOMERY_ASSIGN_OR_RETURN(const Table table, place.open(kTableVerifyVerb, TableFaults::kListed));
    for (const Error& fault : table.faults()) {
      see(fault);
    }
    const std::vector<TableRegion> regions = table.regions();
    const auto listings = listings_of(regions);
    for (const auto& [path, places] : listings) {
      check(path, places, memory);
    }
    regions_ += regions.size();
    files_ += listings.size();
    warnings_.insert(warnings_.end(), table.warnings().begin(), table.warnings().end());
    logs_.insert(logs_.end(), table.logs().begin(), table.logs().end());
    return {};
  }

  void print_json() const {
    const bool is_whole = damaged_ == 0 && faults_.empty();
    nlohmann::ordered_json object = {{"regions", regions_},  {"warnings", warnings_},
                                     {"logs", logs_.size()}, {"integrity", is_whole ? "ok" : "damaged"},
                                     {"faults", faults_},    {"files", shown_}};
    if (store_) {
      object["store"] = {{"descriptors", store_->descriptors},
                         {"lists", store_->lists},
                         {"logs", store_->logs},
                         {"entries", store_->entries}};
    }
    fmt::print("{}\n", object.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  }

  void print_text() const {
    for (const TableLog& log : logs_) {
      if (log.cells > 0 && !log.is_sealed) {
        fmt::print("{}: read as a log of HBase, without seals: nothing vouches for it\n",
                   printable_text(log.path));
      }
    }
    if (store_) {
      fmt::print("{}, {} of files, {} with {}; ", show_count_of(store_->descriptors, "descriptor"),
                 show_count_of(store_->lists, "list"), show_count_of(store_->logs, "log"),
                 store_->entries == 1 ? "1 entry" : show_count(store_->entries) + " entries");
    }
    fmt::print("{}, {}, {} damaged{}\n", show_count_of(regions_, "region"), show_count_of(files_, "file"),
               show_count(damaged_),
               faults_.empty() ? ""
                               : ", " + show_count_of(faults_.size(), "fault") +
                                     (store_ ? " of the store" : " of the table"));
  }

  void see(const Error& fault) {
    exit_status_ = graver(exit_status_, report(kTableVerifyVerb, fault));
    faults_.push_back(fault.to_string());
  }

  void check(const std::string& path, const std::vector<Listing>& places, const FileMemory& memory) {
    const Result<VerifiedHFile> verified = verify_hfile(path, memory);
    if (!verified) {
      ++damaged_;
      exit_status_ = graver(exit_status_, report(kTableVerifyVerb, verified.error()));
      shown_.push_back({{"file", path}, {"integrity", verified.error().to_string()}});
      return;
    }
    if (!verified->is_whole()) {
      ++damaged_;
      exit_status_ = graver(exit_status_, kDamaged);
    }
    if (options_.json) {
      shown_.push_back(integrity_json(path, *verified));
    } else {
      print_integrity(path, *verified);
    }
    for (const Listing& place : places) {
      for (const std::string& fault : misplacements(*verified, *place.region, *place.file)) {
        see(Error(ErrorCode::kCorruption, path, fault));
      }
    }
  }

  const TableVerifyOptions& options_;
  int exit_status_ = kDone;
  std::optional<store::StoreCheck> store_;
  std::uint64_t regions_ = 0;
  std::uint64_t files_ = 0;
  std::vector<TableLog> logs_;
  std::vector<std::string> warnings_;
  std::uint64_t damaged_ = 0;  // number of damaged files
  std::vector<std::string> faults_;
  nlohmann::ordered_json shown_ = nlohmann::ordered_json::array();
};

}  // namespace

void add_table_verify_verb(CLI::App& table, int& exit_status) {
  CLI::App* const verb = table.add_subcommand("verify", kTableVerifyDescription);
  const auto options = std::make_shared<TableVerifyOptions>();
  verb->add_flag("--json", options->json, "one JSON object");
  options->place.add_to(*verb);
  verb->callback([options, &exit_status] {
    const Result<int> status = TableVerifyRun(*options).run();
    exit_status = status ? *status : report(kTableVerifyVerb, status.error());
  });
}

}  // namespace bloomery::cli
