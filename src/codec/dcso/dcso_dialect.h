// The dialect of DCSO's bloom tool and of files in its format, such as CIRCL's known-file filters.
// A file is raw or compressed with gzip; its first two bytes tell which. Layout: dcso_header.h.
#pragma once

#include "codec/dialect.h"

namespace bloomery {

Dialect dcso_dialect();

}  // namespace bloomery
