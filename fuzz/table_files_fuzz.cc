// The parsers of HBase's directories and of the filter language: any bytes give a value or an error.
//
// The first byte chooses the parser. What was parsed is written and parsed again: it has the same bytes then.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "bloomery/table/filter_language.h"
#include "table/filter/java_pattern.h"
#include "table/layout/hbase_messages.h"
#include "table/layout/hbase_messages_writer.h"
#include "table/layout/readable_amount.h"
#include "table/layout/store_file_name.h"
#include "table/layout/tracker_list.h"

namespace {

using namespace bloomery;

void parse_filter_twice(std::string_view bytes) {
  const auto filter = parse_filter(bytes);
  if (filter) {
    const auto again = parse_filter(filter->to_string());
    if (!again || again->to_string() != filter->to_string()) {
      __builtin_trap();
    }
  }
}

void check_same(const std::string& once, const std::string& again) {
  if (once != again) {
    __builtin_trap();
  }
}

void parse_schema_twice(std::string_view bytes) {
  if (const auto schema = table::parse_table_schema(bytes, 0)) {
    const std::string written = table::write_table_schema(*schema);
    check_same(written, table::write_table_schema(table::parse_table_schema(written, 0).value()));
  }
}

void parse_list_twice(std::string_view bytes) {
  if (const auto list = table::parse_tracker_list(bytes); list && *list) {
    const std::string written = table::write_tracker_list(**list);
    check_same(written, table::write_tracker_list(*table::parse_tracker_list(written).value()));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 9) {
    case 0:
      parse_schema_twice(bytes);
      break;
    case 1:
      (void)table::parse_region_info_file(bytes);
      break;
    case 2:
      (void)table::parse_reference_file(bytes);
      break;
    case 3:
      (void)table::parse_snapshot_manifest(bytes);
      (void)table::parse_snapshot_description(bytes);
      (void)table::parse_compaction_event(bytes, 0);
      break;
    case 4:
      parse_list_twice(bytes);
      break;
    case 5:
      (void)table::parse_store_file_name(bytes);
      break;
    case 6:
      (void)table::JavaPattern::compile(bytes);
      break;
    case 7:
      (void)table::parse_seconds(bytes);
      (void)table::parse_bytes(bytes);
      break;
    default:
      parse_filter_twice(bytes);
  }
  return 0;
}
