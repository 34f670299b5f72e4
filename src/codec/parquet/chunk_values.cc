#include "codec/parquet/chunk_values.h"

#include <bit>
#include <optional>
#include <string>
#include <utility>

#include "base/endian.h"
#include "base/message.h"
#include "codec/parquet/hybrid_runs.h"
#include "codec/parquet/page_reader.h"
#include "codec/parquet/page_values.h"
#include "codec/parquet/value_dictionary.h"

namespace bloomery::parquet {
namespace {

constexpr const char* kChunkSubject = "parquet pages";

Status check_chunk(const ColumnChunk& chunk, const SchemaColumn& column) {
  const auto unread = [](const std::string& what) {
    return Error(ErrorCode::kUnsupported, kChunkSubject, what + " is not read");
  };
  if (chunk.encrypted || chunk.in_other_file) {
    return unread(chunk.encrypted ? "an encrypted chunk" : "a chunk in another file");
  }
  const bool is_fixed = column.type.physical == PhysicalType::kFixedLengthByteArray;
  if (column.type.physical == PhysicalType::kBoolean || (is_fixed && column.type.length == 0)) {
    return unread("the type " + physical_name(column.type));
  }
  if (chunk.type != column.type.physical || (is_fixed && column.type.length < 0)) {
    return Error(ErrorCode::kCorruption, kChunkSubject,
                 message("expected values of the schema's type ", physical_name(column.type), ", found ",
                         physical_type_name(chunk.type)));
  }
  return {};
}

// Returns the bytes of the chunk's pages. They are before the footer, since the walk has checked it.
Result<std::span<const std::byte>> pages_of(std::span<const std::byte> file, const ColumnChunk& chunk) {
  const FilePlace& place = chunk.pages;
  if (place.offset <= 0 || place.length <= 0) {
    return chunk.value_count == 0
               ? Result(std::span<const std::byte>())
               : Error(ErrorCode::kCorruption, kChunkSubject,
                       message("expected pages, found ", place.length, " bytes at ", place.offset));
  }
  return file.subspan(static_cast<std::size_t>(place.offset), static_cast<std::size_t>(place.length));
}

class ChunkReader {
 public:
  ChunkReader(const SchemaColumn& column, const std::shared_ptr<MemoryBudget>& memory, const UseValues& use)
      : column_(column), memory_(memory), dictionary_buffer_(memory), buffer_(memory), batch_(use, memory) {}

  Status read(PageReader& pages, const AfterPage& after) {
    for (;;) {
      BLOOMERY_ASSIGN_OR_RETURN(const std::optional<PageHeader> header, pages.next_header());
      if (!header) {
        return end();
      }
      BLOOMERY_RETURN_IF_ERROR(page(pages, *header));
      BLOOMERY_RETURN_IF_ERROR(after ? after(header->header_bytes + header->page_bytes) : Status());
      is_first_ = false;
    }
  }
  // Returns the values of all data pages, with nulls.
  std::uint64_t values() const { return values_; }

 private:
  Status page(PageReader& pages, const PageHeader& header) {
    if (header.type == PageType::kIndex) {
      pages.skip_page(header);
      return {};
    }
    if (header.type == PageType::kDictionary) {
      BLOOMERY_ASSIGN_OR_RETURN(const Page page, pages.read_page(header, dictionary_buffer_));
      return dictionary_page(page);
    }
    BLOOMERY_ASSIGN_OR_RETURN(const Page page, pages.read_page(header, buffer_));
    BLOOMERY_RETURN_IF_ERROR(data_page(page));
    values_ += header.values;  // below 2^31 for each page, which has bytes
    return batch_.flush();
  }

  Status dictionary_page(const Page& page) {
    if (!is_first_) {
      return Error::corruption(kChunkSubject, page.offset,
                               "expected a dictionary as the first page only, found another");
    }
    const Encoding encoding = page.header.encoding;
    if (encoding != Encoding::kPlain && encoding != Encoding::kPlainDictionary) {
      return Error::unsupported(kChunkSubject, page.offset,
                                "a dictionary of the encoding " + encoding_name(encoding) + " is not read");
    }
    BLOOMERY_ASSIGN_OR_RETURN(ValueDictionary dictionary, ValueDictionary::read({.encoding = Encoding::kPlain,
                                                                                 .type = column_.type,
                                                                                 .bytes = page.values,
                                                                                 .offset = page.offset,
                                                                                 .count = page.header.values},
                                                                                memory_));
    dictionary_ = std::move(dictionary);
    return {};
  }

  Status data_page(const Page& page) {
    EncodedValues values{.encoding = page.header.encoding,
                         .type = column_.type,
                         .bytes = page.values,
                         .offset = page.offset,
                         .count = 0};
    BLOOMERY_ASSIGN_OR_RETURN(
        values.count, page.header.type == PageType::kData ? v1_levels(page, values.bytes) : v2_levels(page));
    if (values.encoding != Encoding::kRleDictionary && values.encoding != Encoding::kPlainDictionary) {
      return read_page_values(values, batch_);
    }
    if (!dictionary_) {
      return Error::corruption(kChunkSubject, page.offset,
                               "expected a dictionary before its indices, found none");
    }
    return dictionary_->mark(values);
  }

  // Removes the levels from the beginning of `bytes`, and returns the number of values that are not null.
  Result<std::uint64_t> v1_levels(const Page& page, std::span<const std::byte>& bytes) const {
    if (column_.repetition_level > 0) {
      BLOOMERY_RETURN_IF_ERROR(take_v1_levels(page, page.header.repetition_encoding, bytes));
    }
    if (column_.definition_level == 0) {
      return page.header.values;
    }
    BLOOMERY_ASSIGN_OR_RETURN(const auto levels,
                              take_v1_levels(page, page.header.definition_encoding, bytes));
    return present(page, levels);
  }

  static Result<std::span<const std::byte>> take_v1_levels(const Page& page, Encoding encoding,
                                                           std::span<const std::byte>& bytes) {
    if (encoding != Encoding::kRle) {
      return Error::unsupported(kChunkSubject, page.offset,
                                "levels of the encoding " + encoding_name(encoding) + " are not read");
    }
    if (bytes.size() < 4 || load_little32(bytes.data()) > bytes.size() - 4) {
      return Error::corruption(kChunkSubject, page.offset, "expected a length and levels, found the end");
    }
    const std::uint32_t size = load_little32(bytes.data());
    const auto levels = bytes.subspan(4, size);
    bytes = bytes.subspan(4 + std::size_t{size});
    return levels;
  }

  Result<std::uint64_t> v2_levels(const Page& page) const {
    std::uint64_t count = page.header.values;
    if (column_.definition_level > 0) {
      BLOOMERY_ASSIGN_OR_RETURN(count, present(page, page.levels.last(page.header.definition_bytes)));
    }
    if (page.header.nulls > page.header.values || count != page.header.values - page.header.nulls) {
      return Error::corruption(kChunkSubject, page.offset,
                               message(page.header.nulls, " nulls of ", page.header.values, " values"),
                               page.header.values - count);
    }
    return count;
  }

  // Returns the number of values whose definition level is the greatest.
  Result<std::uint64_t> present(const Page& page, std::span<const std::byte> levels) const {
    const std::uint32_t greatest = column_.definition_level;
    std::uint64_t count = 0;
    BLOOMERY_RETURN_IF_ERROR(
        read_hybrid_runs(levels, page.offset, static_cast<unsigned>(std::bit_width(greatest)),
                         page.header.values, [&](std::uint64_t level, std::uint64_t times) {
                           count += level == greatest ? times : 0;
                           return level <= greatest;
                         }));
    return count;
  }

  Status end() {
    if (dictionary_) {
      BLOOMERY_RETURN_IF_ERROR(dictionary_->add_marked(batch_));
    }
    return batch_.flush();
  }

  const SchemaColumn& column_;
  const std::shared_ptr<MemoryBudget>& memory_;
  PageBuffer dictionary_buffer_;
  PageBuffer buffer_;
  std::optional<ValueDictionary> dictionary_;
  ValueBatch batch_;
  bool is_first_ = true;
  std::uint64_t values_ = 0;
};

}  // namespace

Status for_each_chunk_value(std::span<const std::byte> file, const ColumnChunk& chunk,
                            const SchemaColumn& column, const std::shared_ptr<MemoryBudget>& memory,
                            const UseValues& use, const AfterPage& after) {
  BLOOMERY_RETURN_IF_ERROR(check_chunk(chunk, column));
  BLOOMERY_ASSIGN_OR_RETURN(const auto bytes, pages_of(file, chunk));
  PageReader pages(bytes, static_cast<std::uint64_t>(chunk.pages.offset), chunk.codec);
  ChunkReader reader(column, memory, use);
  BLOOMERY_RETURN_IF_ERROR(reader.read(pages, after));
  if (chunk.value_count.value_or(-1) < 0 ||
      reader.values() != static_cast<std::uint64_t>(*chunk.value_count)) {
    return Error(ErrorCode::kCorruption, kChunkSubject,
                 message("expected ", chunk.value_count.value_or(-1), " values, found ", reader.values()));
  }
  return {};
}

}  // namespace bloomery::parquet
