// The column chunks of a Parquet file, each with its column of the schema.
//
// The footer's walk (codec/parquet/file_metadata.h) yields chunks, and the schema yields columns. Chunk i of
// each row group is of column i. The walk checks that, since the levels of a column decide which values are
// null.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/memory_budget.h"
#include "bloomery/base/result.h"
#include "codec/parquet/file_metadata.h"
#include "codec/parquet/schema.h"

namespace bloomery {

class ParquetChunks {
 public:
  using Visit = std::function<Status(const parquet::ColumnChunk&, const parquet::SchemaColumn&)>;

  // `file` must outlive this object. Errors: kCorruption; kUnsupported for an encrypted footer; kCapacity.
  static Result<ParquetChunks> open(std::span<const std::byte> file,
                                    const std::shared_ptr<MemoryBudget>& memory);

  const parquet::Footer& footer() const { return footer_; }
  // Calls visit(chunk, column) for all chunks of all row groups. Errors: those of visit(); kCorruption.
  Status for_each(const Visit& visit) const;

 private:
  ParquetChunks(const parquet::Footer& footer, MemoryShare memory)
      : footer_(footer), memory_(std::move(memory)) {}

  parquet::Footer footer_;
  std::vector<parquet::SchemaColumn> columns_;
  MemoryShare memory_;
};

// Returns "row group 3, column city".
std::string chunk_name(const parquet::ColumnChunk& chunk);

// Returns true if the chunk has a filter. An encrypted chunk may hide one.
inline bool may_have_filter(const parquet::ColumnChunk& chunk) {
  return chunk.filter_offset.has_value() || chunk.encrypted;
}

}  // namespace bloomery
