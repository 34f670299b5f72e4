// The fields of the native header that only a ribbon has: hash bits, shards, and the directory entry of a
// sole shard.
#pragma once

#include "bloomery/base/result.h"
#include "filter/native/native_header.h"

namespace bloomery {

// Checks these fields. Precondition: the header has passed parse_native_header(). Accepts a header of another
// type. Errors: kCorruption and kUnsupported, with the offset of the first field that is invalid for a
// ribbon.
Status check_ribbon_header(const NativeHeader& header);

}  // namespace bloomery
