// A query of one family: the columns, times and limits of a request, with the settings of the family.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/table/cell_request.h"
#include "bloomery/table/table_schema.h"

namespace bloomery::table {

struct FamilyQuestion {
  const FamilySchema* family = nullptr;
  std::vector<std::string> columns = {};  // ascending; empty: all
  RequestedTimes times = {};
  bool is_raw = false;
  bool has_filter = false;
  std::int32_t versions = 1;  // the requested number of versions
  std::int64_t now = 0;
  std::int64_t oldest = std::numeric_limits<std::int64_t>::min();  // older cells are past the TTL
  std::optional<std::uint32_t> max_cells = {};                     // per row
  std::uint32_t offset = 0;
  // Cells in memory with a greater mvcc do not exist (memory_cells.h). Files have no such cells.
  std::uint64_t read_point = std::numeric_limits<std::uint64_t>::max();

  // The maximum number of versions of a column that are returned.
  std::int32_t most_answered() const { return is_raw ? versions : std::min(versions, family->versions); }
  // The maximum number of versions that are read. A filter sees all that the family keeps.
  std::int32_t most_seen() const {
    if (!has_filter) {
      return most_answered();
    }
    return is_raw ? kAllVersions : family->versions;
  }
  bool is_expired(std::int64_t time) const { return time < oldest; }
  // Sets the current time, from which TTLs count, before another get.
  void set_now(std::int64_t time) {
    now = time;
    if (family->time_to_live_ms && !is_raw) {
      oldest = now - *family->time_to_live_ms;
    }
  }
};

// Returns a question for each requested family, in the order of families. Errors: kInvalidArgument for an
// unknown family, and for impossible limits.
Result<std::vector<FamilyQuestion>> family_questions(const TableSchema& schema, const CellRequest& request,
                                                     bool is_raw, std::int64_t now);

}  // namespace bloomery::table
