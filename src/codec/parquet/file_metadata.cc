#include "codec/parquet/file_metadata.h"

#include <string_view>

#include "base/endian.h"
#include "codec/parquet/compact_reader.h"

namespace bloomery::parquet {
namespace {

constexpr const char* kFooterSubject = "parquet footer";
constexpr std::size_t kParquetMagicBytes = 4;
constexpr std::size_t kFooterTailBytes = 8;  // length and magic
constexpr std::string_view kMagic = "PAR1";
constexpr std::string_view kEncryptedMagic = "PARE";

std::string_view first_magic(std::span<const std::byte> file) {
  return {reinterpret_cast<const char*>(file.data()), kParquetMagicBytes};
}

std::string_view last_magic(std::span<const std::byte> file) {
  return {reinterpret_cast<const char*>(file.data()) + file.size() - kParquetMagicBytes, kParquetMagicBytes};
}

// Walks through FileMetaData, RowGroup, ColumnChunk and ColumnMetaData. The numbers are their field ids.
class FooterWalk {
 public:
  FooterWalk(const Footer& footer, const std::function<Status(const ColumnChunk&)>& visit,
             const std::function<Status(const RowGroup&)>& leave)
      : offset_(footer.offset),
        reader_(footer.metadata, footer.offset, kFooterSubject),
        visit_(visit),
        leave_(leave) {}

  Status file() {
    std::optional<std::int64_t> rows;
    BLOOMERY_RETURN_IF_ERROR(reader_.read_struct([&](const CompactField& field) {
      return field.id == 3   ? read_rows(field, rows)
             : field.id == 4 ? reader_.read_list(field, CompactType::kStruct, [this] { return row_group(); })
                             : reader_.skip(field);
    }));
    // With a truncated list of row groups, the keys of the missing ones would be false negatives. Old
    // releases of parquet-rs always wrote num_rows = 0.
    if (rows != rows_ && rows != 0) {
      return damaged("num_rows: expected the " + std::to_string(rows_) + " of the row groups, found " +
                     (rows ? std::to_string(*rows) : "none"));
    }
    return {};
  }

 private:
  Status row_group() {
    std::optional<std::int64_t> rows;
    std::uint64_t chunks = 0;
    BLOOMERY_RETURN_IF_ERROR(reader_.read_struct([&](const CompactField& field) {
      return field.id == 1   ? reader_.read_list(field, CompactType::kStruct, [&] { return chunk(chunks++); })
             : field.id == 3 ? read_rows(field, rows)
                             : reader_.skip(field);
    }));
    if (chunks == 0 || !rows || *rows < 0 || __builtin_add_overflow(rows_, *rows, &rows_)) {
      return damaged("row group " + std::to_string(row_group_) + ": expected columns and a number of rows");
    }
    const RowGroup left{.number = row_group_++, .chunks = chunks, .rows = *rows};
    return leave_ ? leave_(left) : Status();
  }

  Status read_rows(const CompactField& field, std::optional<std::int64_t>& rows) {
    BLOOMERY_ASSIGN_OR_RETURN(rows, reader_.read_int64(field));
    return {};
  }

  Status chunk(std::uint64_t index) {
    chunk_ = {};
    chunk_.row_group = row_group_;
    chunk_.index = index;
    dictionary_ = 0;
    BLOOMERY_RETURN_IF_ERROR(reader_.read_struct([this](const CompactField& field) -> Status {
      chunk_.in_other_file |= field.id == 1;
      chunk_.encrypted |= field.id == 8 || field.id == 9;
      switch (field.id) {
        case 3:
          return column_metadata(field);
        case 4:
          return read_optional_int64(field, chunk_.offset_index.offset);
        case 5:
          return read_length(field, chunk_.offset_index.length);
        case 6:
          return read_optional_int64(field, chunk_.column_index.offset);
        case 7:
          return read_length(field, chunk_.column_index.length);
        default:
          return reader_.skip(field);
      }
    }));
    // The dictionary page precedes the other pages. Old writers state the offset 0 if there is none.
    if (dictionary_ > 0 && dictionary_ < chunk_.pages.offset) {
      chunk_.pages.offset = dictionary_;
    }
    BLOOMERY_RETURN_IF_ERROR(chunk_.in_other_file ? Status() : check_places());
    return visit_(chunk_);
  }

  Status check_places() const {
    const FilePlace filter = {.offset = chunk_.filter_offset.value_or(0),
                              .length = chunk_.filter_length.value_or(0)};
    BLOOMERY_RETURN_IF_ERROR(check_place("pages", chunk_.pages));
    BLOOMERY_RETURN_IF_ERROR(check_place("offset index", chunk_.offset_index));
    BLOOMERY_RETURN_IF_ERROR(check_place("column index", chunk_.column_index));
    return check_place("filter", filter);
  }

  Status check_place(const char* what, const FilePlace& place) const {
    const auto end = static_cast<std::int64_t>(offset_);
    if (place.offset <= 0 || place.length <= 0 ||
        (place.length <= end && place.offset <= end - place.length)) {
      return {};
    }
    return damaged("row group " + std::to_string(row_group_) + ", column " + chunk_.path + ": expected its " +
                   what + " before byte " + std::to_string(end) + ", found " + std::to_string(place.length) +
                   " bytes at " + std::to_string(place.offset));
  }

  Status read_int64(const CompactField& field, std::int64_t& value) {
    BLOOMERY_ASSIGN_OR_RETURN(value, reader_.read_int64(field));
    return {};
  }

  Status read_optional_int64(const CompactField& field, std::int64_t& value) {
    return field.type == CompactType::kInt64 ? read_int64(field, value) : reader_.skip(field);
  }

  Status read_length(const CompactField& field, std::int64_t& value) {
    if (field.type != CompactType::kInt32) {
      return reader_.skip(field);
    }
    BLOOMERY_ASSIGN_OR_RETURN(value, reader_.read_int32(field));
    return {};
  }

  Status column_metadata(const CompactField& outer) {
    BLOOMERY_RETURN_IF_ERROR(reader_.expect(outer, CompactType::kStruct));
    return reader_.read_struct([this](const CompactField& field) -> Status {
      switch (field.id) {
        case 1:
          return physical_type(field);
        case 3:
          return reader_.read_list(field, CompactType::kBinary, [this] { return path_part(); });
        case 4:
          return codec(field);
        case 5: {
          BLOOMERY_ASSIGN_OR_RETURN(chunk_.value_count, reader_.read_int64(field));
          return {};
        }
        case 7:
          return read_int64(field, chunk_.pages.length);
        case 9:
          return read_int64(field, chunk_.pages.offset);
        case 11:
          return read_optional_int64(field, dictionary_);
        case 12:
          return field.type == CompactType::kStruct ? statistics() : reader_.skip(field);
        case 14:
        case 15:
          return filter_place(field);
        default:
          return reader_.skip(field);
      }
    });
  }

  Status codec(const CompactField& field) {
    if (field.type != CompactType::kInt32) {
      return reader_.skip(field);
    }
    BLOOMERY_ASSIGN_OR_RETURN(chunk_.codec, reader_.read_int32(field));
    return {};
  }

  // Skips fields of another type: some writers used these numbers before the format assigned them.
  Status filter_place(const CompactField& field) {
    if (field.id == 14 && field.type == CompactType::kInt64) {
      BLOOMERY_ASSIGN_OR_RETURN(chunk_.filter_offset, reader_.read_int64(field));
      return {};
    }
    if (field.id == 15 && field.type == CompactType::kInt32) {
      BLOOMERY_ASSIGN_OR_RETURN(chunk_.filter_length, reader_.read_int32(field));
      return {};
    }
    return reader_.skip(field);
  }

  Status statistics() {
    return reader_.read_struct([this](const CompactField& field) -> Status {
      Statistics& statistics = chunk_.statistics;
      const auto read_bound = [&](std::optional<std::string_view>& bound) -> Status {
        if (field.type != CompactType::kBinary) {
          return reader_.skip(field);
        }
        BLOOMERY_ASSIGN_OR_RETURN(bound, reader_.read_binary());
        return {};
      };
      switch (field.id) {
        case 1:
          return read_bound(statistics.max);
        case 2:
          return read_bound(statistics.min);
        case 5:
          return read_bound(statistics.max_value);
        case 6:
          return read_bound(statistics.min_value);
        case 7:
          statistics.max_is_shortened = field.type != CompactType::kTrue;
          return reader_.skip(field);
        case 8:
          statistics.min_is_shortened = field.type != CompactType::kTrue;
          return reader_.skip(field);
        default:
          return reader_.skip(field);
      }
    });
  }

  Status physical_type(const CompactField& field) {
    BLOOMERY_ASSIGN_OR_RETURN(const std::int32_t type, reader_.read_int32(field));
    BLOOMERY_ASSIGN_OR_RETURN(chunk_.type,
                              physical_type_of(type, kFooterSubject, offset_ + reader_.bytes_read()));
    return {};
  }

  Status path_part() {
    BLOOMERY_ASSIGN_OR_RETURN(const std::string_view part, reader_.read_binary());
    if (!chunk_.path.empty()) {
      chunk_.path += '.';
    }
    chunk_.path += part;
    return {};
  }

  Error damaged(const std::string& detail) const {
    return Error::corruption(kFooterSubject, offset_ + reader_.bytes_read(), detail);
  }

  std::uint64_t offset_;
  CompactReader reader_;
  const std::function<Status(const ColumnChunk&)>& visit_;
  const std::function<Status(const RowGroup&)>& leave_;
  ColumnChunk chunk_;
  std::int64_t dictionary_ = 0;  // offset of the chunk's dictionary page
  std::uint64_t row_group_ = 0;
  std::int64_t rows_ = 0;  // sum over the row groups so far
};

}  // namespace

const char* physical_type_name(PhysicalType type) {
  switch (type) {
    case PhysicalType::kBoolean:
      return "BOOLEAN";
    case PhysicalType::kInt32:
      return "INT32";
    case PhysicalType::kInt64:
      return "INT64";
    case PhysicalType::kInt96:
      return "INT96";
    case PhysicalType::kFloat:
      return "FLOAT";
    case PhysicalType::kDouble:
      return "DOUBLE";
    case PhysicalType::kByteArray:
      return "BYTE_ARRAY";
    case PhysicalType::kFixedLengthByteArray:
      return "FIXED_LEN_BYTE_ARRAY";
  }
  return "unknown";
}

Result<PhysicalType> physical_type_of(std::int32_t number, const char* subject, std::uint64_t offset) {
  const std::string found = "physical type: expected 0 to 7, found " + std::to_string(number);
  if (number < 0) {
    return Error::corruption(subject, offset, found);
  }
  if (number > static_cast<std::int32_t>(PhysicalType::kFixedLengthByteArray)) {
    return Error::unsupported(subject, offset, found + ", a type of a later version of the format");
  }
  return static_cast<PhysicalType>(number);
}

std::optional<std::size_t> value_bytes(PhysicalType type) {
  switch (type) {
    case PhysicalType::kInt32:
    case PhysicalType::kFloat:
      return 4;
    case PhysicalType::kInt64:
    case PhysicalType::kDouble:
      return 8;
    case PhysicalType::kInt96:
      return 12;
    default:
      return std::nullopt;
  }
}

bool looks_like_file(std::span<const std::byte> file) {
  if (file.size() < kParquetMagicBytes + kFooterTailBytes) {
    return false;
  }
  return (first_magic(file) == kMagic && last_magic(file) == kMagic) ||
         (first_magic(file) == kEncryptedMagic && last_magic(file) == kEncryptedMagic);
}

Result<Footer> read_footer(std::span<const std::byte> file) {
  if (!looks_like_file(file)) {
    return Error::corruption(kFileSubject, 0, "expected PAR1 at its begin and end");
  }
  if (first_magic(file) == kEncryptedMagic) {
    return Error::unsupported(kFileSubject, 0, "an encrypted footer (PARE)");
  }
  const std::uint64_t end = file.size() - kFooterTailBytes;
  const std::uint32_t length = load_little32(file.data() + end);
  if (length > end - kParquetMagicBytes) {
    return Error::corrupt_field(kFooterSubject, end, "length",
                                "at most " + std::to_string(end - kParquetMagicBytes), length);
  }
  return Footer{.metadata = file.subspan(end - length, length), .offset = end - length};
}

Status for_each_column_chunk(const Footer& footer, const std::function<Status(const ColumnChunk&)>& visit,
                             const std::function<Status(const RowGroup&)>& leave) {
  return FooterWalk(footer, visit, leave).file();
}

}  // namespace bloomery::parquet
