// bloomery hfile advise: tells which kind of Bloom filter is best for the files of a directory.
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <CLI/CLI.hpp>

#include "bloomery/hfile/cell.h"
#include "bloomery/table/advise.h"
#include "cli/exit_status.h"
#include "cli/file_memory_option.h"
#include "cli/hfile/reports.h"
#include "cli/numbers.h"
#include "cli/read_counters_file.h"
#include "cli/verbs.h"

namespace bloomery::cli {
namespace {

constexpr const char* kHFileAdviseDescription =
    R"(Advise which kind of Bloom filter pays: ROW, ROWCOL or none, from the files that a table has.

  bloomery hfile advise hbase/data/default/orders            # a table, a region or a family: all HFiles below it
  bloomery hfile advise --gets column --absent 0.9 orders    # gets name their columns, and nine of ten find nothing
  bloomery hfile advise --counters counted orders            # the gets that `table get --counters-to counted` answered
  bloomery hfile advise --json orders | jq '.family[] | [.family, .advice]'

Of each file: cells, rows, columns, its Bloom filter, the fpp from its bits, bytes. Of each family: in how many files rows
and columns are, and how many data blocks a get reads of one store with each kind of filter, and today; `present cell` and
`absent column` (of a row that is there) name a column, `whole row` names none. Filters that the files do not have are those
that HBase would write with its defaults. docs/hfile-advise.md has the formulae.

With --counters the mix of each family is that of the gets that came. Then the table also has the data blocks that all of them
would read with each kind, and beside them stands what was read.

Links are followed. After a split, halves of files are listed as not counted, and no filter is advised for their family
until HBase has compacted them.

Stores up to 2 GiB are read whole, larger ones in a sample of 100,000 rows. Exit status: 3 if a file is damaged, 5 if one
has a form that is not read here; the advice is then from the others.)";

struct HFileAdviseOptions {
  std::string directory;
  std::string gets = "mixed";
  std::string absent = "0.5";
  std::string counters;
  std::string prefix_bytes;
  std::optional<std::string> sample;
  bool json = false;
  FileMemoryOption memory;
};

Result<GetMix> parse_mix(const HFileAdviseOptions& options) {
  GetMix mix;
  if (options.gets != "mixed") {
    mix.whole_rows = options.gets == "row" ? 1 : 0;
  }
  BLOOMERY_ASSIGN_OR_RETURN(mix.absent, parse_real("--absent", options.absent));
  if (mix.absent < 0 || mix.absent > 1) {
    return Error::invalid_argument("--absent", "expected a share from 0 to 1, found " + options.absent);
  }
  return mix;
}

Result<AdviceOptions> parse_counting(const HFileAdviseOptions& options) {
  AdviceOptions counting;
  BLOOMERY_ASSIGN_OR_RETURN(counting.memory, options.memory.parse());
  if (!options.prefix_bytes.empty()) {
    BLOOMERY_ASSIGN_OR_RETURN(counting.prefix_bytes, parse_count("--prefix", options.prefix_bytes));
    if (counting.prefix_bytes > kLongestRow) {
      return Error::invalid_argument("--prefix", "expected at most " + std::to_string(kLongestRow) +
                                                     " bytes, found " + options.prefix_bytes);
    }
  }
  return counting;
}

Result<int> advise(const HFileAdviseOptions& options) {
  BLOOMERY_ASSIGN_OR_RETURN(AdviceOptions counting, parse_counting(options));
  BLOOMERY_ASSIGN_OR_RETURN(const GetMix mix, parse_mix(options));
  if (options.sample) {
    BLOOMERY_ASSIGN_OR_RETURN(counting.sample_rows, parse_count("--sample", *options.sample));
  }
  std::map<std::string, FamilyReads> reads;
  if (!options.counters.empty()) {
    BLOOMERY_ASSIGN_OR_RETURN(reads, load_read_counters(options.counters));
  }
  BLOOMERY_ASSIGN_OR_RETURN(TableAdvice advice, advise_filters(options.directory, counting));
  const AdviceReport advised{.directory = options.directory,
                             .mix = mix,
                             .reads = std::move(reads),
                             .prefix_bytes = counting.prefix_bytes,
                             .advice = std::move(advice)};
  (options.json ? print_advice_json : print_advice_text)(advised);
  int status = advised.advice.families.empty() ? kNothing : kDone;
  for (const Error& error : advised.advice.errors) {
    status = graver(status, report("hfile advise", error));
  }
  if (status == kNothing) {
    warn("hfile advise", options.directory + " has no HFiles");
  }
  return status;
}

}  // namespace

void add_hfile_advise_verb(CLI::App& hfile, int& exit_status) {
  CLI::App* const verb = hfile.add_subcommand("advise", kHFileAdviseDescription);
  const auto options = std::make_shared<HFileAdviseOptions>();
  verb->add_option("DIR", options->directory, "a directory with HFiles in it or below it")->required();
  auto* const gets =
      verb->add_option("--gets", options->gets,
                       "what gets ask for: row (all of one), column, or mixed, half of each (default)")
          ->check(CLI::IsMember({"row", "column", "mixed"}));
  auto* const absent =
      verb->add_option("--absent", options->absent,
                       "share of gets that find nothing (default 0.5); of columns, half for want of the row");
  verb->add_option("--counters", options->counters,
                   "what `table get --counters-to` wrote: the gets that came")
      ->type_name("FILE")
      ->excludes(gets)
      ->excludes(absent);
  verb->add_option("--prefix", options->prefix_bytes,
                   "bytes of a row's prefix: shows ROWPREFIX_FIXED_LENGTH of that length too");
  verb->add_option("--sample", options->sample, "count about so many rows of each store; 0 is all");
  verb->add_flag("--json", options->json, "one JSON object");
  options->memory.add_to(*verb);
  verb->callback([options, &exit_status] {
    const Result<int> status = advise(*options);
    exit_status = status ? *status : report("hfile advise", status.error());
  });
}

}  // namespace bloomery::cli
