#include "store/read_demand.h"

#include <algorithm>
#include <cmath>

#include "table/get_reads.h"

namespace bloomery::store {
namespace {

constexpr double kHalfLifeGets = 10'000;

// Returns the fpp of the file's filter of rows, or nothing if it has none. With a filter of prefixes, a row
// that has an absent prefix is absent.
std::optional<double> row_fpp(const hfile::OpenFile& file) {
  const hbase::BloomType type = file.bloom_type();
  if (type == hbase::BloomType::kNone || type == hbase::BloomType::kRowCol) {
    return std::nullopt;
  }
  const hbase::BloomMeta& meta = file.bloom()->meta();
  return std::min(table::filled_fpp(8.0 * static_cast<double>(meta.total_bytes), meta.hash_count,
                                    static_cast<double>(meta.key_count)),
                  0.99);
}

// A read after a maybe of the filter of rows met no row if the maybe was false. How many were false follows
// from its noes; the others met a row without the column.
void add_reads(GetDemand& demand, const table::AskedReads& asked, std::optional<double> row_fpp) {
  const auto missed = static_cast<double>(asked.column_noes + asked.without_row + asked.without_column);
  const auto row_noes = static_cast<double>(asked.row_noes);
  const double without_row = row_fpp ? std::min(row_noes * *row_fpp / (1 - *row_fpp), missed)
                                     : static_cast<double>(asked.without_row);
  demand.files += row_noes + static_cast<double>(asked.column_noes + asked.reads);
  demand.without_row += row_noes + without_row;
  demand.without_column += missed - without_row;
}

}  // namespace

void ReadDemand::add(const ReadDemand& newer) {
  const double share = std::exp2(-newer.gets() / kHalfLifeGets);
  const auto add_to = [share](GetDemand& of, const GetDemand& more) {
    of.gets = of.gets * share + more.gets;
    of.files = of.files * share + more.files;
    of.without_row = of.without_row * share + more.without_row;
    of.without_column = of.without_column * share + more.without_column;
  };
  add_to(rows, newer.rows);
  add_to(columns, newer.columns);
}

ReadDemand take_demand(const table::OpenStore& store) {
  ReadDemand demand;
  const auto taken = [&](std::size_t kind) {
    return static_cast<double>((*store.gets)[kind].exchange(0, std::memory_order_relaxed));
  };
  demand.rows.gets = taken(table::kRowGets);
  demand.columns.gets = taken(table::kColumnGets);
  for (const table::StoreFilePointer& file : store.files) {
    if (file->reads == nullptr) {
      continue;
    }
    const auto fpp = row_fpp(*file->file);
    add_reads(demand.columns, file->reads->take(table::kColumnGets), fpp);
    GetDemand& rows = demand.rows;
    add_reads(rows, file->reads->take(table::kRowGets), fpp);
    rows.without_row += std::exchange(rows.without_column, 0);  // a row that is there is not missed
  }
  return demand;
}

}  // namespace bloomery::store
