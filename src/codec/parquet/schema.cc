#include "codec/parquet/schema.h"

#include <array>
#include <vector>

#include "base/message.h"
#include "codec/parquet/compact_reader.h"

namespace bloomery::parquet {
namespace {

constexpr const char* kSchemaSubject = "parquet schema";
constexpr std::size_t kDeepest = 256;  // nested groups; writers nest a few

// The greatest levels of the values below an element.
struct Levels {
  std::uint32_t definition = 0;
  std::uint32_t repetition = 0;
};

// One SchemaElement.
struct Element {
  std::optional<PhysicalType> type;
  std::int32_t repetition = 0;  // 0 required, 1 optional, 2 repeated
  std::int32_t length = 0;
  std::string_view name;
  std::optional<std::int32_t> children;
  std::optional<LogicalType> converted;  // without scale and precision
  std::optional<std::int32_t> scale;
  std::optional<std::int32_t> precision;
  std::optional<LogicalType> logical;
  bool has_foreign_type = false;  // the logical type is one that this version cannot read
};

// Returns the meaning of a number of the enum ConvertedType. The older time types are adjusted to UTC.
LogicalType converted_type(std::int32_t number) {
  const auto time = [](LogicalKind kind, TimeUnit unit) {
    return LogicalType{.kind = kind, .unit = unit, .is_utc = true};
  };
  if (number >= 11 && number <= 18) {  // UINT_8 ... UINT_64, INT_8 ... INT_64
    return {.kind = LogicalKind::kInteger, .bit_width = 8 << ((number - 11) % 4), .is_signed = number >= 15};
  }
  switch (number) {
    case 0:
      return {.kind = LogicalKind::kString};
    case 4:
      return {.kind = LogicalKind::kEnum};
    case 5:
      return {.kind = LogicalKind::kDecimal};
    case 6:
      return {.kind = LogicalKind::kDate};
    case 7:
      return time(LogicalKind::kTime, TimeUnit::kMillis);
    case 8:
      return time(LogicalKind::kTime, TimeUnit::kMicros);
    case 9:
      return time(LogicalKind::kTimestamp, TimeUnit::kMillis);
    case 10:
      return time(LogicalKind::kTimestamp, TimeUnit::kMicros);
    case 19:
      return {.kind = LogicalKind::kJson};
    case 20:
      return {.kind = LogicalKind::kBson};
    case 21:
      return {.kind = LogicalKind::kInterval};
    default:
      return {.kind = LogicalKind::kOther};
  }
}

// Returns true if the logical and the converted type can describe one column. A local time may have the
// converted type of a UTC time, which some writers add for older readers.
bool agree(const LogicalType& logical, LogicalType converted) {
  if (logical.kind == LogicalKind::kOther || converted.kind == LogicalKind::kOther) {
    return true;
  }
  converted.is_utc = logical.is_utc;
  converted.precision = logical.precision;
  converted.scale = logical.scale;
  return logical == converted;
}

class SchemaWalk {
 public:
  SchemaWalk(const Footer& footer, const std::function<Status(const SchemaColumn&)>& visit)
      : offset_(footer.offset), reader_(footer.metadata, footer.offset, kSchemaSubject), visit_(visit) {}

  // Returns true if there is a schema.
  Result<bool> file() {
    bool found = false;
    BLOOMERY_RETURN_IF_ERROR(reader_.read_struct([&](const CompactField& field) -> Status {
      if (field.id != 2) {
        return reader_.skip(field);
      }
      found = true;
      return reader_.read_list(field, CompactType::kStruct, [this] { return element(); });
    }));
    if (found && (!has_root_ || !open_.empty())) {
      return damaged("expected a tree of groups and columns, found " +
                     std::string(has_root_ ? "one that lacks elements" : "an empty list"));
    }
    return found;
  }

 private:
  // A group whose children are being read.
  struct Group {
    std::int32_t left;
    std::size_t path_bytes;  // length of the path of the group itself
    Levels levels;
  };

  Status element() {
    Element element;
    BLOOMERY_RETURN_IF_ERROR(
        reader_.read_struct([&](const CompactField& field) { return read(field, element); }));
    const std::int32_t children = element.children.value_or(0);
    const bool is_empty_root = !has_root_ && children == 0 && !element.type;
    if (children < 0 || (element.type.has_value() == (children != 0) && !is_empty_root)) {
      return damaged("expected a group with children or a column with a type, found " +
                     std::string(element.type ? "both" : "neither"));
    }
    if (!has_root_) {
      has_root_ = true;
      return element.type   ? damaged("expected a root with columns, found a column")
             : children > 0 ? open(children, 0, {})
                            : Status();
    }
    if (open_.empty()) {
      return damaged("expected as many elements as the groups have children, found more");
    }
    return element.type ? column(element) : group(element);
  }

  Status read(const CompactField& field, Element& element) {
    switch (field.id) {
      case 1: {
        BLOOMERY_ASSIGN_OR_RETURN(const std::int32_t type, reader_.read_int32(field));
        BLOOMERY_ASSIGN_OR_RETURN(element.type,
                                  physical_type_of(type, kSchemaSubject, offset_ + reader_.bytes_read()));
        return {};
      }
      case 2: {
        BLOOMERY_ASSIGN_OR_RETURN(element.length, reader_.read_int32(field));
        return {};
      }
      case 3:
        return read_repetition(field, element);
      case 4: {
        BLOOMERY_ASSIGN_OR_RETURN(element.name, reader_.read_binary(field));
        return {};
      }
      case 5: {
        BLOOMERY_ASSIGN_OR_RETURN(element.children, reader_.read_int32(field));
        return {};
      }
      case 6:
      case 7:
      case 8:
      case 10:
        return read_meaning(field, element);
      default:
        return reader_.skip(field);
    }
  }

  Status read_repetition(const CompactField& field, Element& element) {
    if (field.type != CompactType::kInt32) {
      return reader_.skip(field);
    }
    BLOOMERY_ASSIGN_OR_RETURN(element.repetition, reader_.read_int32(field));
    return element.repetition >= 0 && element.repetition <= 2
               ? Status()
               : Status(damaged(message("repetition: expected 0 to 2, found ", element.repetition)));
  }

  // Returns the greatest levels of the values of an element in the innermost open group.
  Levels levels_of(const Element& element) const {
    Levels levels = open_.back().levels;
    levels.definition += element.repetition != 0 ? 1 : 0;
    levels.repetition += element.repetition == 2 ? 1 : 0;
    return levels;
  }

  // Reads one of the fields that state the logical type.
  Status read_meaning(const CompactField& field, Element& element) {
    if (field.type != (field.id == 10 ? CompactType::kStruct : CompactType::kInt32)) {
      element.has_foreign_type = true;
      return reader_.skip(field);
    }
    if (field.id == 10) {
      return read_logical(element);
    }
    BLOOMERY_ASSIGN_OR_RETURN(const std::int32_t number, reader_.read_int32(field));
    if (field.id == 6) {
      element.converted = converted_type(number);
    } else {
      (field.id == 7 ? element.scale : element.precision) = number;
    }
    return {};
  }

  // Reads the union LogicalType. Its members without fields are skipped as empty structs.
  Status read_logical(Element& element) {
    std::size_t members = 0;
    LogicalType type;
    BLOOMERY_RETURN_IF_ERROR(reader_.read_struct([&](const CompactField& field) {
      ++members;
      return read_member(field, type);
    }));
    if (members != 1) {
      return damaged("logical type: expected one, found " + std::to_string(members));
    }
    element.logical = type;
    return {};
  }

  Status read_member(const CompactField& field, LogicalType& type) {
    constexpr std::array<LogicalKind, 17> kKinds = {
        LogicalKind::kOther,   LogicalKind::kString,  LogicalKind::kOther /* MAP */,
        LogicalKind::kOther,   LogicalKind::kEnum,    LogicalKind::kDecimal,
        LogicalKind::kDate,    LogicalKind::kTime,    LogicalKind::kTimestamp,
        LogicalKind::kOther,   LogicalKind::kInteger, LogicalKind::kOther /* always null */,
        LogicalKind::kJson,    LogicalKind::kBson,    LogicalKind::kUuid,
        LogicalKind::kFloat16, LogicalKind::kOther};
    const auto id = static_cast<std::size_t>(field.id);
    type.kind = id < kKinds.size() ? kKinds[id] : LogicalKind::kOther;
    switch (type.kind) {
      case LogicalKind::kDecimal:
      case LogicalKind::kTime:
      case LogicalKind::kTimestamp:
      case LogicalKind::kInteger:
        return read_parameters(field, type);
      default:
        return reader_.skip(field);
    }
  }

  // All four types have two fields, and need both. An unknown field may change the meaning of the values,
  // so the type becomes kOther.
  Status read_parameters(const CompactField& outer, LogicalType& type) {
    BLOOMERY_RETURN_IF_ERROR(reader_.expect(outer, CompactType::kStruct));
    std::size_t parameters = 0;
    BLOOMERY_RETURN_IF_ERROR(reader_.read_struct([&](const CompactField& field) {
      ++parameters;
      return read_parameter(field, type);
    }));
    return parameters == 2 || type.kind == LogicalKind::kOther
               ? Status()
               : Status(damaged("logical type: expected 2 fields, found " + std::to_string(parameters)));
  }

  Status read_parameter(const CompactField& field, LogicalType& type) {
    const bool is_flag = field.type == CompactType::kTrue || field.type == CompactType::kFalse;
    const bool flag = field.type == CompactType::kTrue;
    const bool is_number = field.type == CompactType::kInt32;
    if (type.kind == LogicalKind::kDecimal && (field.id == 1 || field.id == 2) && is_number) {
      BLOOMERY_ASSIGN_OR_RETURN((field.id == 1 ? type.scale : type.precision), reader_.read_int32(field));
      return {};
    }
    if (type.kind == LogicalKind::kInteger && field.id == 1 && field.type == CompactType::kByte) {
      BLOOMERY_ASSIGN_OR_RETURN(type.bit_width, reader_.read_int8(field));
      return {};
    }
    if (type.kind == LogicalKind::kInteger && field.id == 2 && is_flag) {
      type.is_signed = flag;
      return {};
    }
    const bool has_unit = type.kind == LogicalKind::kTime || type.kind == LogicalKind::kTimestamp;
    if (has_unit && field.id == 1 && is_flag) {
      type.is_utc = flag;
      return {};
    }
    if (has_unit && field.id == 2 && field.type == CompactType::kStruct) {
      return read_unit(type);
    }
    type.kind = LogicalKind::kOther;
    return reader_.skip(field);
  }

  Status read_unit(LogicalType& type) {
    std::size_t units = 0;
    BLOOMERY_RETURN_IF_ERROR(reader_.read_struct([&](const CompactField& field) -> Status {
      ++units;
      if (field.id < 1 || field.id > 3) {
        type.kind = LogicalKind::kOther;  // the unit of a later version
        return reader_.skip(field);
      }
      type.unit = static_cast<TimeUnit>(field.id - 1);
      return reader_.skip(field);
    }));
    return units == 1 ? Status()
                      : Status(damaged("unit of time: expected one, found " + std::to_string(units)));
  }

  // Joins the logical and the converted type, and the scale and precision that accompany the converted one.
  Result<LogicalType> joined(const Element& element) const {
    if (element.has_foreign_type) {
      return LogicalType{.kind = LogicalKind::kOther};
    }
    if (element.logical && element.converted && !agree(*element.logical, *element.converted)) {
      return damaged("column " + path_ + ": a logical and a converted type that contradict: " +
                     logical_name(*element.logical) + ", " + logical_name(*element.converted));
    }
    LogicalType type = element.logical.value_or(element.converted.value_or(LogicalType()));
    if (type.kind != LogicalKind::kDecimal) {
      return type;
    }
    if (!element.logical) {
      type.scale = element.scale.value_or(0);
      type.precision = element.precision.value_or(0);
    } else if (element.scale.value_or(type.scale) != type.scale ||
               element.precision.value_or(type.precision) != type.precision) {
      return damaged("column " + path_ + ": scales or precisions that contradict");
    }
    return type;
  }

  Status column(const Element& element) {
    const std::size_t before = enter(element.name);
    BLOOMERY_ASSIGN_OR_RETURN(const LogicalType logical, joined(element));
    const ColumnType type =
        checked({.physical = *element.type, .length = element.length, .logical = logical});
    const Levels levels = levels_of(element);
    BLOOMERY_RETURN_IF_ERROR(visit_({.index = columns_++,
                                     .path = path_,
                                     .type = type,
                                     .definition_level = levels.definition,
                                     .repetition_level = levels.repetition}));
    path_.resize(before);
    return close();
  }

  Status group(const Element& element) {
    const std::size_t before = enter(element.name);
    return open(*element.children, before, levels_of(element));
  }

  // Appends a name to the path, and returns the previous length of the path.
  std::size_t enter(std::string_view name) {
    const std::size_t before = path_.size();
    if (open_.size() > 1) {
      path_ += '.';
    }
    path_ += name;
    return before;
  }

  Status open(std::int32_t children, std::size_t path_bytes, Levels levels) {
    if (open_.size() == kDeepest) {
      return damaged(message("expected groups in each other at most ", kDeepest, " deep, found more"));
    }
    open_.push_back({.left = children, .path_bytes = path_bytes, .levels = levels});
    return {};
  }

  // Ends an element, and each group that it completes.
  Status close() {
    while (!open_.empty() && --open_.back().left == 0) {
      path_.resize(open_.back().path_bytes);
      open_.pop_back();
    }
    return {};
  }

  Error damaged(const std::string& detail) const {
    return Error::corruption(kSchemaSubject, offset_ + reader_.bytes_read(), detail);
  }

  std::uint64_t offset_;
  CompactReader reader_;
  const std::function<Status(const SchemaColumn&)>& visit_;
  std::vector<Group> open_;
  std::string path_;
  bool has_root_ = false;
  std::uint64_t columns_ = 0;
};

}  // namespace

Result<bool> for_each_column(const Footer& footer, const std::function<Status(const SchemaColumn&)>& visit) {
  return SchemaWalk(footer, visit).file();
}

Result<std::optional<SchemaColumn>> find_column(const Footer& footer, std::string_view path) {
  std::optional<SchemaColumn> found;
  BLOOMERY_RETURN_IF_ERROR(for_each_column(footer, [&](const SchemaColumn& column) -> Status {
    if (column.path != path) {
      return {};
    }
    if (found) {
      return Error(ErrorCode::kUnsupported, kSchemaSubject, "two columns " + column.path);
    }
    found = column;
    return {};
  }));
  return found;
}

}  // namespace bloomery::parquet
