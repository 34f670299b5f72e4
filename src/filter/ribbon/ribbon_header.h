// The fields of the native header that only a ribbon has: hash bits, shards, and the directory entry of a
// sole shard.
#pragma once

#include "bloomery/base/result.h"
#include "filter/native/native_header.h"

namespace bloomery {

// Errors: kCorruption, kUnsupported, with the field's offset, unless the fields are those of a ribbon, or the
// header is of another type. Precondition: the header has passed parse_native_header().
Status check_ribbon_header(const NativeHeader& header);

}  // namespace bloomery
