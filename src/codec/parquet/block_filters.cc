#include "codec/parquet/block_filters.h"

#include "bloomery/filter/sizing.h"

namespace bloomery::parquet {

DialectFacts BlockFilters::facts() const {
  DialectFacts facts;
  facts.hash_count = kBitsAKey;
  for (const SplitBlocks& filter : filters()) {
    facts.bits += filter.bits();
    facts.set_bits += filter.set_bits();
  }
  facts.more = {{"blocks", std::to_string(facts.bits / 8 / kBlockBytes)}};
  return facts;
}

double BlockFilters::current_fpp() const {
  double no = 1;
  for (const SplitBlocks& filter : filters()) {
    no *= 1 - filter.fpp();
  }
  return 1 - no;
}

Result<double> BlockFilters::estimated_count() const {
  double count = 0;
  for (const SplitBlocks& filter : filters()) {
    const std::uint64_t set_bits = filter.set_bits();
    if (set_bits == filter.bits()) {
      return Error::capacity("parquet", "every bit is set: the number of keys cannot be told");
    }
    count += estimated_key_count({.bits = filter.bits(), .hash_count = kBitsAKey}, set_bits);
  }
  return count;
}

}  // namespace bloomery::parquet
