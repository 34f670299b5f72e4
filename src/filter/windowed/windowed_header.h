// What the header of a native file says of a windowed filter: the shape of its tables.
//
// Source: docs/formats/native.md, payload of type 7.
#pragma once

#include "bloomery/base/result.h"
#include "bloomery/filter/blocked_sizing.h"
#include "bloomery/filter/window.h"
#include "filter/native/native_header.h"

namespace bloomery {

// `window` is that of the payload, which was checked. Errors: kCorruption, with the place of the field.
Result<BlockedShape> windowed_shape_of(const NativeHeader& header, const Window& window);

}  // namespace bloomery
