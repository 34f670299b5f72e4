// Reads all values of a column chunk: of each page its levels, and of the values that are not null their
// bytes.
//
// A value is not null if its definition level is the greatest one of its column. Repetition levels are
// skipped.
//
//   dictionary page   at most one, the first page; each value that a data page refers to is passed on once
//   data page         v1 or v2; every value is passed on
//   index page        skipped
//
// The values of all data pages, nulls included, must be as many as the chunk's metadata states. Source:
// docs/formats/parquet.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "base/memory_budget.h"
#include "bloomery/base/result.h"
#include "codec/parquet/file_metadata.h"
#include "codec/parquet/schema.h"
#include "codec/parquet/value_batch.h"

namespace bloomery::parquet {

// Is called after each page with its bytes in the file. An error ends the reading.
using AfterPage = std::function<Status(std::uint64_t bytes)>;

// Calls use() with the plain bytes of all values that are not null, in any order; with a value of a
// dictionary once. Memory for pages is charged to `memory`. Precondition: for_each_column_chunk() made
// `chunk` of this file. Errors: kCorruption; kUnsupported for a type, an encoding or a codec that is not
// read, and for an encrypted chunk; kCapacity; the errors of the callbacks. Some values may have been used
// before an error.
Status for_each_chunk_value(std::span<const std::byte> file, const ColumnChunk& chunk,
                            const SchemaColumn& column, const std::shared_ptr<MemoryBudget>& memory,
                            const UseValues& use, const AfterPage& after = nullptr);

}  // namespace bloomery::parquet
