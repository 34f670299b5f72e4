#include "table/read/family_question.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/byte_text.h"
#include "base/message.h"

namespace bloomery::table {
namespace {

Result<const FamilySchema*> known_family(const TableSchema& schema, const std::string& name) {
  const FamilySchema* const family = schema.find(name);
  if (family == nullptr) {
    std::string known;
    for (const FamilySchema& each : schema.families) {
      known += message(known.empty() ? "" : ", ", escape_bytes(each.name));
    }
    return Error::invalid_argument(
        "family", message("expected one of the table (", known, "), found '", escape_bytes(name), "'"));
  }
  return family;
}

// An empty set means all columns.
using AskedColumns = std::map<std::string, std::set<std::string>>;

Result<AskedColumns> asked_columns(const TableSchema& schema, const CellRequest& request) {
  AskedColumns asked;
  for (const RequestedColumn& column : request.columns) {
    BLOOMERY_RETURN_IF_ERROR(known_family(schema, column.family));
    if (column.qualifier) {
      asked[column.family].insert(*column.qualifier);
    } else {
      asked[column.family].clear();
    }
  }
  if (request.columns.empty()) {
    for (const FamilySchema& family : schema.families) {
      asked[family.name];
    }
  }
  return asked;
}

Status check_limits(const CellRequest& request) {
  if (request.versions < 1) {
    return Error::invalid_argument("versions", message("expected 1 at least, found ", request.versions));
  }
  const auto check_times = [](const RequestedTimes& times) {
    return times.from < 0 || (times.to && *times.to < times.from)
               ? Status(Error::invalid_argument(
                     "time range", message("expected times from 0 on, the end not before the begin, found ",
                                           times.from, " to ", times.to.value_or(kLatestTimestamp))))
               : Status();
  };
  BLOOMERY_RETURN_IF_ERROR(check_times(request.times));
  for (const auto& [family, times] : request.family_times) {
    BLOOMERY_RETURN_IF_ERROR(check_times(times));
  }
  return {};
}

}  // namespace

Result<std::vector<FamilyQuestion>> family_questions(const TableSchema& schema, const CellRequest& request,
                                                     bool is_raw, std::int64_t now) {
  BLOOMERY_RETURN_IF_ERROR(check_limits(request));
  BLOOMERY_ASSIGN_OR_RETURN(const AskedColumns asked, asked_columns(schema, request));
  for (const auto& [family, times] : request.family_times) {
    BLOOMERY_RETURN_IF_ERROR(known_family(schema, family));
  }
  std::vector<FamilyQuestion> questions;
  for (const auto& [name, columns] : asked) {
    FamilyQuestion& question = questions.emplace_back();
    question.family = schema.find(name);
    question.columns.assign(columns.begin(), columns.end());
    const auto own_times = request.family_times.find(name);
    question.times = own_times != request.family_times.end() ? own_times->second : request.times;
    question.is_raw = is_raw;
    question.has_filter = request.filter.has_value();
    question.versions = request.versions;
    question.now = now;
    question.max_cells = request.max_per_family;
    question.offset = request.offset_per_family;
    if (is_raw && !question.columns.empty()) {
      return Error::invalid_argument("columns",
                                     "expected families alone, as a raw scan cannot name a column");
    }
    if (is_raw) {
      question.oldest = 0;
    } else if (question.family->time_to_live_ms) {
      question.oldest = now - *question.family->time_to_live_ms;
    }
  }
  return questions;
}

}  // namespace bloomery::table
