// bloomery table snapshot, drop-snapshot and clone.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/exit_status.h"
#include "cli/table/write_place.h"
#include "cli/verbs.h"

namespace bloomery::cli {
namespace {

constexpr const char* kTableSnapshotVerb = "table snapshot";
constexpr const char* kTableSnapshotDescription =
    R"(Give what a table has now a name, under which it stays as it is.

  bloomery table snapshot shop orders monday
  bloomery table scan --root shop --snapshot monday
  bloomery table clone shop orders-of-monday --snapshot monday

It is a snapshot of HBase, of one moment of all regions. It takes hard links and no copies: later compactions, truncate and drop
change nothing of it. `table list` lists snapshots, and `table export` takes one out of the root.)";

constexpr const char* kTableDeleteSnapshotVerb = "table drop-snapshot";
constexpr const char* kTableDeleteSnapshotDescription =
    R"(Delete snapshots, and the files that no table and no other snapshot needs.

  bloomery table drop-snapshot shop monday)";

constexpr const char* kTableCloneVerb = "table clone";
constexpr const char* kTableCloneDescription =
    R"(Make a table of a table or a snapshot: of the same root, of another store, or of HBase.

  bloomery table clone shop orders-of-monday --snapshot monday
  bloomery table clone shop orders --from /mnt/hbase --table shop:orders

The new table has the source's families, attributes, region borders and rows, in hard links to its files, or in copies where
there can be none: on another file system. What only the logs of another root have is read, too, so nobody should write there
meanwhile. All of it appears at once, or nothing. ROOT is made if it is not there.)";

struct SnapshotOptions {
  StorePlace place;
  std::string table;
  std::string name;
  std::vector<std::string> names;
};

struct CloneOptions {
  StorePlace place;
  std::string name;
  CloneSource source;
};

Status use_store(const StorePlace& place, const std::function<Status(Store&)>& work) {
  BLOOMERY_ASSIGN_OR_RETURN(StoreOptions options, place.options());
  options.flushes_at_close = false;
  return place.use(options, work);
}

Status clone(const CloneOptions& options) {
  BLOOMERY_ASSIGN_OR_RETURN(StoreOptions store_options, options.place.options());
  store_options.flushes_at_close = false;
  std::vector<std::string> warnings;
  CloneSource source = options.source;
  source.warnings = &warnings;
  if (source.table.empty() == source.snapshot.empty()) {
    return Error::invalid_argument("--table", "expected --table or --snapshot, found both or none");
  }
  BLOOMERY_ASSIGN_OR_RETURN(Store store, source.root.empty()
                                             ? Store::open(options.place.root(), store_options)
                                             : open_or_create(options.place.root(), store_options));
  const Status cloned = use_and_close(store, [&](Store& opened) -> Status {
    const auto made = opened.clone(source, options.name);
    return made ? Status() : Status(made.error());
  });
  for (const std::string& warning : warnings) {
    warn(kTableCloneVerb, "warning: " + warning);
  }
  return cloned;
}

}  // namespace

void add_table_snapshot_verb(CLI::App& table, int& exit_status) {
  CLI::App* const verb = table.add_subcommand("snapshot", kTableSnapshotDescription);
  const auto options = std::make_shared<SnapshotOptions>();
  options->place.add_to(*verb);
  verb->add_option("TABLE", options->table, "[NAMESPACE:]NAME, a table of it")->required();
  verb->add_option("NAME", options->name, "the new snapshot's name")->required();
  verb->callback([options, &exit_status] {
    const Status taken = use_store(
        options->place, [&](Store& store) { return store.snapshot(options->table, options->name); });
    exit_status = taken ? kDone : report(kTableSnapshotVerb, taken.error());
  });
}

void add_table_delete_snapshot_verb(CLI::App& table, int& exit_status) {
  CLI::App* const verb = table.add_subcommand("drop-snapshot", kTableDeleteSnapshotDescription);
  const auto options = std::make_shared<SnapshotOptions>();
  options->place.add_to(*verb);
  verb->add_option("NAME", options->names, "snapshots of it")->required();
  verb->callback([options, &exit_status] {
    const Status deleted = use_store(options->place, [&](Store& store) -> Status {
      for (const std::string& name : options->names) {
        BLOOMERY_RETURN_IF_ERROR(store.delete_snapshot(name));
      }
      return {};
    });
    exit_status = deleted ? kDone : report(kTableDeleteSnapshotVerb, deleted.error());
  });
}

void add_table_clone_verb(CLI::App& table, int& exit_status) {
  CLI::App* const verb = table.add_subcommand("clone", kTableCloneDescription);
  const auto options = std::make_shared<CloneOptions>();
  options->place.add_to(*verb);
  verb->add_option("NAME", options->name, "[NAMESPACE:]NAME of the new table")->required();
  verb->add_option("--from", options->source.root, "DIR, the source's root; ROOT itself unless given");
  verb->add_option("--table", options->source.table, "[NAMESPACE:]NAME, a table of the source");
  verb->add_option("--snapshot", options->source.snapshot, "NAME, a snapshot of the source");
  verb->add_flag("--copy", options->source.copies, "copy the files even where hard links would do");
  verb->callback([options, &exit_status] {
    const Status cloned = clone(*options);
    exit_status = cloned ? kDone : report(kTableCloneVerb, cloned.error());
  });
}

}  // namespace bloomery::cli
