#include "verify/parquet_chunks.h"

#include "base/message.h"

namespace bloomery {
namespace {

Status check_column(const parquet::ColumnChunk& chunk, const parquet::SchemaColumn& column,
                    const parquet::Footer& footer) {
  const bool is_hidden = chunk.encrypted && chunk.path.empty();
  if (is_hidden || chunk.path == column.path) {
    return {};
  }
  return Error::corruption(parquet::kFileSubject, footer.offset,
                           message("row group ", chunk.row_group, ", chunk ", chunk.index, ": column ",
                                   column.path, " of the schema"),
                           chunk.path);
}

}  // namespace

Result<ParquetChunks> ParquetChunks::open(std::span<const std::byte> file,
                                          const std::shared_ptr<MemoryBudget>& memory) {
  BLOOMERY_ASSIGN_OR_RETURN(const parquet::Footer footer, parquet::read_footer(file));
  ParquetChunks chunks(footer, MemoryShare(memory));
  BLOOMERY_ASSIGN_OR_RETURN(
      const bool has_schema,
      parquet::for_each_column(footer, [&](const parquet::SchemaColumn& column) -> Status {
        BLOOMERY_RETURN_IF_ERROR(
            chunks.memory_.add("columns of a schema", 2 * sizeof(column) + column.path.size()));
        chunks.columns_.push_back(column);
        return {};
      }));
  if (!has_schema) {
    return Error::corruption(parquet::kFileSubject, footer.offset, "expected a schema, found none");
  }
  return chunks;
}

Status ParquetChunks::for_each(const Visit& visit) const {
  const auto wrong_count = [this](std::uint64_t row_group) {
    return Error::corruption(parquet::kFileSubject, footer_.offset,
                             message("row group ", row_group, ": expected the ", columns_.size(),
                                     " columns of the schema, found ", "another number"));
  };
  return parquet::for_each_column_chunk(
      footer_,
      [&](const parquet::ColumnChunk& chunk) -> Status {
        if (chunk.index >= columns_.size()) {
          return wrong_count(chunk.row_group);
        }
        BLOOMERY_RETURN_IF_ERROR(check_column(chunk, columns_[chunk.index], footer_));
        return visit(chunk, columns_[chunk.index]);
      },
      [&](const parquet::RowGroup& row_group) -> Status {
        return row_group.chunks == columns_.size() ? Status() : wrong_count(row_group.number);
      });
}

std::string chunk_name(const parquet::ColumnChunk& chunk) {
  return message("row group ", chunk.row_group, ", ",
                 chunk.path.empty() ? message("column number ", chunk.index) : "column " + chunk.path);
}

}  // namespace bloomery
