// Reads the shape of a blocked filter from the header of a native file.
//
// Source: docs/formats/native.md, payload of type 2.
#pragma once

#include "bloomery/base/result.h"
#include "bloomery/filter/blocked_sizing.h"
#include "filter/native/native_header.h"

namespace bloomery {

// Errors: kCorruption, with the offset of the field.
Result<BlockedShape> blocked_shape_of(const NativeHeader& header);

}  // namespace bloomery
