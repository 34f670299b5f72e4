// The dialect of DCSO's bloom tool and of the files that use its format (known-file filters of CIRCL): raw,
// or as a whole compressed with gzip, told apart by the first two bytes. Layout: dcso_header.h.
#pragma once

#include "codec/dialect.h"

namespace bloomery {

Dialect dcso_dialect();

}  // namespace bloomery
