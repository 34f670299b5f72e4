// Reads the shape of the tables of a windowed filter from the header of a native file.
//
// Source: docs/formats/native.md, payload of type 7.
#pragma once

#include "bloomery/base/result.h"
#include "bloomery/filter/blocked_sizing.h"
#include "bloomery/filter/window.h"
#include "filter/native/native_header.h"

namespace bloomery {

// `window` is the checked window of the payload. Errors: kCorruption, with the offset of the field.
Result<BlockedShape> windowed_shape_of(const NativeHeader& header, const Window& window);

}  // namespace bloomery
