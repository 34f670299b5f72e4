#include "filter/ribbon/ribbon_header.h"

#include <string>

#include "bloomery/filter/ribbon_sizing.h"
#include "filter/shards/shard_directory.h"

namespace bloomery {

using namespace native_header;

Status check_ribbon_header(const NativeHeader& header) {
  if (header.type != FilterType::kRibbon) {  // the caller reports the wrong type
    return {};
  }
  if (header.hash_count > kMaxRibbonColumns) {
    return bad_header_field(kHashCountAt, "columns", "at most " + std::to_string(kMaxRibbonColumns),
                            header.hash_count);
  }
  return check_shard_header(header);
}

}  // namespace bloomery
