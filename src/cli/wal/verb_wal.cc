// bloomery wal: reads HBase's write-ahead logs, and writes them with seals.
#include <CLI/CLI.hpp>

#include "cli/verbs.h"

namespace bloomery::cli {
namespace {

constexpr const char* kWalDescription =
    R"(Look into HBase's write-ahead logs, and write them with seals that show damage.

  bloomery wal cat root/WALs/server | cut -f1-6              # what a killed server had not written to files
  bloomery wal verify root                                   # what is sealed, what is torn, what is damaged
  bloomery wal seal -o sealed.log closed.log                 # the same log for HBase, with seals for us)";

}  // namespace

void add_wal_verb(CLI::App& app, int& exit_status) {
  CLI::App* const verb = app.add_subcommand("wal", kWalDescription);
  verb->require_subcommand(1);
  add_wal_cat_verb(*verb, exit_status);
  add_wal_info_verb(*verb, exit_status);
  add_wal_verify_verb(*verb, exit_status);
  add_wal_repair_verb(*verb, exit_status);
  add_wal_seal_verb(*verb, exit_status);
}

}  // namespace bloomery::cli
