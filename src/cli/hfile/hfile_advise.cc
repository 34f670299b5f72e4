// bloomery hfile advise: which kind of Bloom filter pays for the files of a directory.
#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/exit_status.h"
#include "cli/hfile/advice_report.h"
#include "cli/hfile/cell_text.h"
#include "cli/hfile/hfile_verbs.h"
#include "cli/numbers.h"
#include "table/bloom_report.h"
#include "table/open_hfile.h"
#include "table/store_files.h"
#include "table/store_walk.h"

namespace bloomery::cli {
namespace {

// A store of more bytes is sampled unless told otherwise.
constexpr std::uint64_t kCountedBytes = std::uint64_t{2} << 30;
constexpr std::uint64_t kSampleRows = 100000;

constexpr const char* kDescription =
    R"(Advise which kind of Bloom filter pays: ROW, ROWCOL or none, from the files that a table has.

  bloomery hfile advise hbase/data/default/orders            # a table, a region or a family: all HFiles below it
  bloomery hfile advise --gets column --absent 0.9 orders    # gets name their columns, and nine of ten find nothing
  bloomery hfile advise --json orders | jq '.family[] | [.family, .advice]'

Of each file: cells, rows, columns, its Bloom filter, the fpp from its bits, bytes. Of each family: in how many files rows
and columns are, and how many data blocks a get reads of one store with each kind of filter, and today; `present cell` and
`absent column` (of a row that is there) name a column, `whole row` names none. Filters that the files do not have are those
that HBase would write with its defaults. docs/hfile-advise.md has the formulae.

Stores up to 2 GiB are read whole, larger ones in a sample of 100,000 rows. Exit status: 3 if a file is damaged; the advice
is then from the others.)";

struct Options {
  std::string directory;
  std::string gets = "mixed";
  std::string absent = "0.5";
  std::string prefix_bytes;
  std::optional<std::string> sample;
  bool json = false;
};

Result<GetMix> parse_mix(const Options& options) {
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

// A file and what it is like, but not its cells.
AdvisedFile describe(const std::string& store, const OpenHFile& file, AdviceReport& report) {
  AdvisedFile advised{.path = file->path(),
                      .store = store,
                      .file_bytes = file->file_bytes(),
                      .cells = file->trailer().entry_count,
                      .bloom_type = file->bloom_type()};
  const auto& keys = file->index().root_keys;  // none of a file without cells
  advised.family = keys.empty() ? std::filesystem::path(store).filename().string() : keys.front().family;
  if (!file->filter_status()) {
    report.errors.push_back(file->filter_status().error().in_file(file->path()));
  }
  if (file->bloom_type() == hbase::BloomType::kNone) {
    return advised;
  }
  advised.filter_keys = file->bloom()->meta().key_count;
  advised.filter.bytes = file->bloom()->meta().total_bytes;
  const Result<BloomFill> fill = measure_fill(*file, *file->bloom());
  if (!fill) {
    report.errors.push_back(fill.error().in_file(file->path()));
    return advised;  // which may be asked in vain
  }
  advised.filter.fpp = fill->fpp_of_lookup(file->bloom_type());
  return advised;
}

struct OpenStore {
  std::vector<OpenHFile> files = {};
  std::vector<AdvisedFile> advised = {};
};

std::uint64_t rows_to_sample(const OpenStore& store, std::optional<std::uint64_t> asked) {
  std::uint64_t bytes = 0;
  for (const AdvisedFile& file : store.advised) {
    bytes += file.file_bytes;
  }
  return asked.value_or(bytes > kCountedBytes ? kSampleRows : 0);
}

// Counts what the files share; one that turns out to be damaged is left out, and the rest counted anew.
void advise_store(OpenStore store, std::optional<std::uint64_t> sample, AdviceReport& report) {
  const std::string family = store.advised.front().family;
  while (!store.files.empty()) {
    std::size_t failed = 0;
    const WalkOptions walk{.prefix_bytes = report.prefix_bytes, .sample_rows = rows_to_sample(store, sample)};
    const Result<StoreCounts> counts = walk_store(store.files, walk, failed);
    if (counts) {
      report.families[family].add_store(std::move(store.advised), *counts);
      return;
    }
    report.errors.push_back(counts.error());
    const auto at = static_cast<std::ptrdiff_t>(failed);
    store.files.erase(store.files.begin() + at);
    store.advised.erase(store.advised.begin() + at);
  }
}

// The files of one directory, by the family of their cells: mostly one.
std::map<std::string, OpenStore> open_stores(const StoreDirectory& directory, AdviceReport& report) {
  std::map<std::string, OpenStore> stores;
  for (const std::string& path : directory.files) {
    const Result<OpenHFile> file = open_hfile(path);
    if (!file) {
      report.errors.push_back(file.error());
      continue;
    }
    AdvisedFile advised = describe(directory.path, *file, report);
    OpenStore& store = stores[advised.family];
    store.files.push_back(*file);
    store.advised.push_back(std::move(advised));
  }
  return stores;
}

Result<int> advise(const Options& options) {
  AdviceReport advice{.directory = options.directory};
  if (!options.prefix_bytes.empty()) {
    BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t bytes, parse_count("--prefix", options.prefix_bytes));
    if (bytes > kLongestRow) {
      return Error::invalid_argument("--prefix", "expected at most " + std::to_string(kLongestRow) +
                                                     " bytes, found " + options.prefix_bytes);
    }
    advice.prefix_bytes = static_cast<std::uint32_t>(bytes);
  }
  BLOOMERY_ASSIGN_OR_RETURN(advice.mix, parse_mix(options));
  std::optional<std::uint64_t> sample;
  if (options.sample) {
    BLOOMERY_ASSIGN_OR_RETURN(sample, parse_count("--sample", *options.sample));
  }
  BLOOMERY_ASSIGN_OR_RETURN(FoundFiles found, find_hfiles(options.directory));
  advice.others = std::move(found.others);
  advice.errors = std::move(found.errors);
  for (const StoreDirectory& directory : found.stores) {
    for (auto& [family, store] : open_stores(directory, advice)) {
      advise_store(std::move(store), sample, advice);
    }
  }
  (options.json ? print_advice_json : print_advice_text)(advice);
  int status = advice.families.empty() ? kNothing : kDone;
  for (const Error& error : advice.errors) {
    status = std::max(status, report("hfile advise", error));
  }
  if (status == kNothing) {
    warn("hfile advise", options.directory + " has no HFiles");
  }
  return status;
}

}  // namespace

void add_hfile_advise_verb(CLI::App& hfile, int& exit_status) {
  CLI::App* const verb = hfile.add_subcommand("advise", kDescription);
  const auto options = std::make_shared<Options>();
  verb->add_option("DIR", options->directory, "a directory with HFiles in it or below it")->required();
  verb->add_option("--gets", options->gets,
                   "what gets ask for: row (all of one), column, or mixed, half of each (default)")
      ->check(CLI::IsMember({"row", "column", "mixed"}));
  verb->add_option("--absent", options->absent,
                   "share of gets that find nothing (default 0.5); of columns, half for want of the row");
  verb->add_option("--prefix", options->prefix_bytes,
                   "bytes of a row's prefix: shows ROWPREFIX_FIXED_LENGTH of that length too");
  verb->add_option("--sample", options->sample, "count about so many rows of each store; 0 is all");
  verb->add_flag("--json", options->json, "one JSON object");
  verb->callback([options, &exit_status] {
    const Result<int> status = advise(*options);
    exit_status = status ? *status : report("hfile advise", status.error());
  });
}

}  // namespace bloomery::cli
