// bloomery build: makes a filter from files of keys.
#include <memory>

#include <CLI/CLI.hpp>

#include "cli/build_options.h"
#include "cli/build_partition.h"
#include "cli/builders.h"
#include "cli/exit_status.h"
#include "cli/verbs.h"

namespace bloomery::cli {
namespace {

constexpr const char* kBuildDescription = R"(Turn keys, one a line, into a filter.

  seq 1000000 | bloomery build -o million.bloom         # -p 0.001 for as many keys as there are
  md5sum /etc/*.conf | bloomery build -o conf.bloom -n 1000 -p 1e-6 -k 1 -d ' ' --key-form hex --force
  cut -d: -f1 /etc/passwd > users.txt; bloomery build -o users.bloom -p 0.01 users.txt
  seq 1000000 | bloomery build -t ribbon -o million.ribbon -p 1e-4 --mem 256M     # static: the least bytes
  seq 1000000 | bloomery build -t fuse -o million.fuse -p 1/256                   # static: fast queries
  seq 1000 | bloomery build --dialect guava -o for_java.bf -n 1000 -p 0.01      # what Guava would write
  bloomery build -t ribbon --partition 4 -o here users.txt      # one machine of many: then --shards, merge
  bloomery build -t ribbon -o black.ribbon -p 0.01 --exceptions white.txt -- black.txt    # no to all of white.txt)";

Result<int> build(const BuildPlan& plan) {
  if (plan.ranges) {
    return build_partition(plan);
  }
  BLOOMERY_ASSIGN_OR_RETURN(const OutputFile output,
                            OutputFile::claim("build", plan.output, plan.force, plan.wait, plan.dialect));
  if (!plan.dialect.empty()) {
    return build_dialect_filter(plan, output);
  }
  if (!plan.work_directory.empty()) {
    return build_resumable(plan, output);
  }
  if (!is_static_type(plan.filter.type.type)) {
    return build_native(plan, output);
  }
  return builds_part(plan) ? build_part(plan, output) : build_static(plan, output);
}

// Suggests --tmp if it was not given and the default folder cannot hold the spool.
Error or_tmp(const Error& error, const BuildPlan& plan) {
  const std::string& folder = plan.spool_directory;
  if (plan.names_spool_directory || error.errno_value() == 0 ||
      !error.subject().starts_with(folder + "/.bloomery-")) {
    return error;
  }
  return {error.code(), folder,
          error.detail() + " (a file for what memory does not hold; --tmp names another folder)"};
}

}  // namespace

void add_build_verb(CLI::App& app, int& exit_status) {
  CLI::App* const verb = app.add_subcommand("build", kBuildDescription);
  const auto options = std::make_shared<BuildOptions>();
  options->add_to(*verb);
  verb->callback([options, &exit_status] {
    const Result<BuildPlan> plan = options->plan();
    const Result<int> status = plan ? build(*plan) : Result<int>(plan.error());
    exit_status = status ? *status : report("build", plan ? or_tmp(status.error(), *plan) : status.error());
  });
}

}  // namespace bloomery::cli
