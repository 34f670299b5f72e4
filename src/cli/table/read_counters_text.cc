#include "cli/table/read_counters_text.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "base/byte_text.h"
#include "cli/read_counters_file.h"
#include "cli/standard_streams.h"

namespace bloomery::cli {
namespace {

std::string filter_text(const FilterCounters& filter) {
  if (filter.checks == 0) {
    return "filter not asked";
  }
  return fmt::format("filter asked {} times, no {}, maybe and it was there {}, maybe and it was not {}",
                     filter.checks, filter.negatives, filter.true_positives, filter.false_positives);
}

std::string blocks_text(const HFileCounters& blocks) {
  return fmt::format(
      "read {} data, {} index, {} Bloom and {} other blocks, {} bytes; {} blocks from the cache",
      blocks.data_blocks, blocks.index_blocks, blocks.bloom_chunks, blocks.other_blocks, blocks.bytes_read,
      blocks.cache_hits);
}

// Returns the options of `hfile advise` that describe these gets. That verb then computes how many reads each
// kind of filter would have saved.
std::string advise_options(const FamilyReads& family) {
  const FamilyReadCounters& gets = family.gets;
  const char* const kind = gets.row_gets == 0 ? "column" : gets.column_gets == 0 ? "row" : "mixed";
  return fmt::format("--gets {} --absent {:.3f}", kind,
                     static_cast<double>(family.found_nothing()) / static_cast<double>(family.count()));
}

}  // namespace

void print_counters(const TableReadCounters& counters, const CacheCounters& cache) {
  for (const FileReadCounters& file : counters.files) {
    say("{}{}: {}; {}\n", file.region.empty() ? "" : file.region + " ", printable_text(file.path),
        filter_text(file.filter), blocks_text(file.blocks));
  }
  for (const auto& [name, family] : reads_by_family(counters)) {
    const FamilyReadCounters& gets = family.gets;
    say("family {}: {} gets of columns, {} without cells; {} gets of rows, {} without cells\n",
        escape_bytes(name), gets.column_gets, gets.absent_column_gets, gets.row_gets, gets.absent_row_gets);
    say("family {}: {}; {}\n", escape_bytes(name), filter_text(family.filter), blocks_text(family.blocks));
    say("family {}: which filter these gets want: bloomery hfile advise DIR {}\n", escape_bytes(name),
        advise_options(family));
  }
  for (std::size_t i = 0; i < kBlockGroups; ++i) {
    const CacheCounters::Asked& asked = cache.asked[i];
    if (asked.hits + asked.misses > 0) {
      say("cache, {} blocks: {} hits, {} misses\n", block_group_name(static_cast<BlockGroup>(i)), asked.hits,
          asked.misses);
    }
  }
}

}  // namespace bloomery::cli
