// bloomery hfile: reads and writes HBase's files.
#include <CLI/CLI.hpp>

#include "cli/verbs.h"

namespace bloomery::cli {
namespace {

constexpr const char* kHFileDescription =
    R"(Look into HBase's files, and write them: what they say of themselves, their cells, what their Bloom filters spare.

  for f in *.hfile; do bloomery hfile verify "$f"; done      # every checksum, key, index and filter
  bloomery hfile cat store.hfile | cut -f1 | uniq | wc -l    # its rows
  bloomery hfile get *.hfile --row r4 --explain              # which files a get reads, and why not the others
  bloomery hfile write -o load sorted.tsv                    # files to bulk load)";

}  // namespace

void add_hfile_verb(CLI::App& app, int& exit_status) {
  CLI::App* const verb = app.add_subcommand("hfile", kHFileDescription);
  verb->require_subcommand(1);
  add_hfile_info_verb(*verb, exit_status);
  add_hfile_cat_verb(*verb, exit_status);
  add_hfile_get_verb(*verb, exit_status);
  add_hfile_verify_verb(*verb, exit_status);
  add_hfile_filter_verb(*verb, exit_status);
  add_hfile_advise_verb(*verb, exit_status);
  add_hfile_write_verb(*verb, exit_status);
}

}  // namespace bloomery::cli
