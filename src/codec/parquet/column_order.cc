#include "codec/parquet/column_order.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "codec/parquet/compact_reader.h"
#include "hash/ascii_text.h"

namespace bloomery::parquet {
namespace {

constexpr std::int16_t kCreatedBy = 6;
constexpr std::int16_t kColumnOrders = 7;
constexpr std::int16_t kTypeDefinedOrder = 1;

// Returns true if the bounds of floats and decimals are reliable: the writer keeps NaN out of the bounds or
// makes it a bound, and compares decimals as numbers.
bool orders_all_types(std::string_view created_by) {
  struct Writer {
    std::string_view front;
    std::uint64_t first_release;
  };
  constexpr std::array<Writer, 4> kWriters = {{{"parquet-cpp-arrow version ", 0},
                                               {"parquet-mr version ", 0},
                                               {"parquet-rs version ", 10},
                                               {"DuckDB version v", 0}}};
  return std::ranges::any_of(kWriters, [&](const Writer& writer) {
    if (!created_by.starts_with(writer.front)) {
      return false;
    }
    const std::string_view version = created_by.substr(writer.front.size());
    const auto release = number_from_text<std::uint64_t>(version.substr(0, version.find('.')));
    return release && *release >= writer.first_release;
  });
}

Result<bool> is_type_defined_order(CompactReader& reader) {
  std::size_t members = 0;
  bool is_of_type = false;
  BLOOMERY_RETURN_IF_ERROR(reader.read_struct([&](const CompactField& field) {
    ++members;
    is_of_type = field.id == kTypeDefinedOrder && field.type == CompactType::kStruct;
    return reader.skip(field);
  }));
  return members == 1 && is_of_type;
}

}  // namespace

Result<std::vector<ColumnOrder>> column_orders(const Footer& footer) {
  std::vector<ColumnOrder> orders;
  std::string_view created_by;
  CompactReader reader(footer.metadata, footer.offset, "parquet footer");
  BLOOMERY_RETURN_IF_ERROR(reader.read_struct([&](const CompactField& field) -> Status {
    if (field.id == kCreatedBy && field.type == CompactType::kBinary) {
      BLOOMERY_ASSIGN_OR_RETURN(created_by, reader.read_binary());
      return {};
    }
    if (field.id != kColumnOrders) {
      return reader.skip(field);
    }
    return reader.read_list_if(field, CompactType::kStruct, [&]() -> Status {
      BLOOMERY_ASSIGN_OR_RETURN(const bool is_of_type, is_type_defined_order(reader));
      orders.push_back(is_of_type ? ColumnOrder::kOfPlainTypes : ColumnOrder::kUnknown);
      return {};
    });
  }));
  if (orders_all_types(created_by)) {
    std::ranges::replace(orders, ColumnOrder::kOfPlainTypes, ColumnOrder::kOfAllTypes);
  }
  return orders;
}

}  // namespace bloomery::parquet
