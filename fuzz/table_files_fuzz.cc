// The parsers of HBase's directories and of the filter language: any bytes give a value or an error.
//
// The first byte chooses the parser.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "bloomery/table/filter_language.h"
#include "table/filter/java_pattern.h"
#include "table/layout/hbase_messages.h"
#include "table/layout/store_file_name.h"
#include "table/layout/store_listing.h"

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

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 8) {
    case 0:
      (void)table::parse_table_schema(bytes, 0);
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
      (void)table::parse_tracker_list(bytes);
      break;
    case 5:
      (void)table::parse_store_file_name(bytes);
      break;
    case 6:
      (void)table::JavaPattern::compile(bytes);
      break;
    default:
      parse_filter_twice(bytes);
  }
  return 0;
}
