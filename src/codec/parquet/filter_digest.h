// A digest of the filters of a Parquet file: of its footer, and of each filter with its header, in the order
// of the row groups. It reads no data pages. For a filter that is a file of its own, it covers all bytes.
#pragma once

#include <cstddef>
#include <span>

#include "bloomery/base/result.h"
#include "bloomery/hash/hash128.h"

namespace bloomery::parquet {

// Errors: kCorruption, also if the filters have more bytes than the file; kUnsupported for an encrypted
// footer.
Result<Hash128> filter_digest(std::span<const std::byte> file);

}  // namespace bloomery::parquet
