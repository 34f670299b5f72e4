// bloomery hfile verify: checks whether an HFile is intact and can be bulk loaded.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/byte_text.h"
#include "bloomery/table/verify.h"
#include "cli/exit_status.h"
#include "cli/file_memory_option.h"
#include "cli/hfile/hfile_paths.h"
#include "cli/hfile/reports.h"
#include "cli/verbs.h"

namespace bloomery::cli {
namespace {

constexpr const char* kHFileVerifyDescription =
    R"(Check HFiles: every checksum, the order of cells, the index against the blocks, every cell in the Bloom filters.

  bloomery hfile verify *.hfile && echo whole
  bloomery hfile verify root/data/default/users       # all HFiles in a directory and below it
  bloomery hfile verify --bulk-load out/cf/*          # also ready to be loaded into the family cf of a table?
  bloomery hfile verify --json store.hfile | jq .findings

What is found is named with its block and offset. Whether a file could be bulk loaded is reported too. Exit status: 3 if
a file is damaged; 5 if one has a form that is not read here; 1, only with --bulk-load, if one is not ready.)";

struct HFileVerifyOptions {
  std::vector<std::string> files;
  bool bulk_load = false;
  bool json = false;
  FileMemoryOption memory;
};

void print_verified_text(const std::string& file, const VerifiedHFile& verified) {
  print_integrity(file, verified);
  if (verified.bulk_load_obstacles.empty()) {
    fmt::print("{}: bulk load: ready, in a directory named {}\n", file, escape_bytes(verified.family));
  } else {
    fmt::print("{}: bulk load: not ready: {}\n", file, fmt::join(verified.bulk_load_obstacles, "; "));
  }
}

void print_verified_json(const std::string& file, const VerifiedHFile& verified) {
  nlohmann::ordered_json object = integrity_json(file, verified);
  object.update({{"probes", verified.probes},
                 {"family", escape_bytes(verified.family)},
                 {"bulk_load_ready", verified.bulk_load_obstacles.empty()},
                 {"bulk_load_obstacles", verified.bulk_load_obstacles}});
  fmt::print("{}\n", object.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

int verify(const HFileVerifyOptions& options, const std::string& file) {
  const Result<FileMemory> memory = options.memory.parse();
  if (!memory) {
    return report("hfile verify", memory.error());
  }
  const Result<VerifiedHFile> verified = verify_hfile(file, *memory);
  if (!verified) {
    return report("hfile verify", verified.error());
  }
  (options.json ? print_verified_json : print_verified_text)(file, *verified);
  if (!verified->is_whole()) {
    return kDamaged;
  }
  return options.bulk_load && !verified->bulk_load_obstacles.empty() ? kNothing : kDone;
}

int verify_all(const HFileVerifyOptions& options) {
  const Result<HFilePaths> found = find_hfiles(options.files);
  if (!found) {
    return report("hfile verify", found.error());
  }
  int status = kDone;
  for (const HFilePath& file : found->files) {
    const Status sound = file.check();
    status = graver(status, sound ? verify(options, file.path) : report("hfile verify", sound.error()));
  }
  tell_of_passed_over("hfile verify", *found);
  return status;
}

}  // namespace

void add_hfile_verify_verb(CLI::App& hfile, int& exit_status) {
  CLI::App* const verb = hfile.add_subcommand("verify", kHFileVerifyDescription);
  const auto options = std::make_shared<HFileVerifyOptions>();
  verb->add_option("FILE", options->files, "HFiles, or directories with HFiles in them or below")->required();
  verb->add_flag("--bulk-load", options->bulk_load,
                 "a file that is not ready to be loaded makes the status 1");
  verb->add_flag("--json", options->json, "one JSON object a file");
  options->memory.add_to(*verb);
  verb->callback([options, &exit_status] { exit_status = verify_all(*options); });
}

}  // namespace bloomery::cli
