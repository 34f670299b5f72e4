#include "cli/table/read_counters_text.h"

#include <algorithm>
#include <map>
#include <string>

#include <fmt/format.h>

#include "base/byte_text.h"
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

void add(HFileCounters& sum, const HFileCounters& blocks) {
  sum.data_blocks += blocks.data_blocks;
  sum.index_blocks += blocks.index_blocks;
  sum.bloom_chunks += blocks.bloom_chunks;
  sum.other_blocks += blocks.other_blocks;
  sum.bytes_read += blocks.bytes_read;
  sum.cache_hits += blocks.cache_hits;
}

// The mix of the gets as options of `hfile advise`, which then counts what each kind of filter would have spared them.
std::string advise_options(const FamilyReadCounters& family) {
  const std::uint64_t gets = family.column_gets + family.row_gets;
  const std::uint64_t absent = family.absent_column_gets + family.absent_row_gets;
  const char* const kind = family.row_gets == 0 ? "column" : family.column_gets == 0 ? "row" : "mixed";
  return fmt::format("--gets {} --absent {:.3f}", kind,
                     static_cast<double>(absent) / static_cast<double>(gets));
}

}  // namespace

void print_counters(const TableReadCounters& counters, const CacheCounters& cache) {
  std::map<std::string, FileReadCounters> families;
  for (const FileReadCounters& file : counters.files) {
    say("{}{}: {}; {}\n", file.region.empty() ? "" : file.region + " ", printable_text(file.path),
        filter_text(file.filter), blocks_text(file.blocks));
    FileReadCounters& family = families[file.family];
    family.filter += file.filter;
    add(family.blocks, file.blocks);
  }
  for (const FamilyReadCounters& family : counters.families) {
    const FileReadCounters& files = families[family.family];
    say("family {}: {} gets of columns, {} without cells; {} gets of rows, {} without cells\n",
        escape_bytes(family.family), family.column_gets, family.absent_column_gets, family.row_gets,
        family.absent_row_gets);
    say("family {}: {}; {}\n", escape_bytes(family.family), filter_text(files.filter),
        blocks_text(files.blocks));
    say("family {}: which filter these gets want: bloomery hfile advise DIR {}\n",
        escape_bytes(family.family), advise_options(family));
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
