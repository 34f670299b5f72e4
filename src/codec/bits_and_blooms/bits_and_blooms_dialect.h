// The dialect of the Go library bits-and-blooms/bloom. Some public lists are published in its format.
// Layout and hashes: docs/formats/bits-and-blooms.md.
#pragma once

#include "codec/dialect.h"

namespace bloomery {

Dialect bits_and_blooms_dialect();

}  // namespace bloomery
