#include "table/skip_reasons.h"

#include "base/byte_text.h"
#include "base/message.h"
#include "hfile/bloom/bloom_key.h"

namespace bloomery::table {

std::string rows_of(const hfile::OpenFile& file) {
  const auto last = parse_flat_key(file.info().find("hfile.LASTKEY").value_or(std::string_view()));
  const auto& first = file.index().root_keys;
  return first.empty() || !last ? std::string()
                                : message(escape_bytes(first.front().row), " to ", escape_bytes(last->row));
}

std::string skipped_by_times(const hfile::TimeSpan& times) {
  return message("skipped by its time range: ", times.oldest, " to ", times.newest);
}

std::string skipped_by_rows(const hfile::OpenFile& file) {
  return message("skipped by its key range: rows ", rows_of(file));
}

std::string skipped_by_newer_cells(const hfile::TimeSpan& times) {
  return message("skipped by newer cells: its newest one is of ", times.newest);
}

std::string skipped_by_filter(const hfile::OpenFile& file) {
  return message("skipped by its Bloom filter (", hbase::bloom_type_name(file.bloom_type()), ")");
}

}  // namespace bloomery::table
