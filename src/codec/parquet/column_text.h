// Converts text to the values of a column, in their plain encoding without lengths.
//
//   type                          text                                      bytes
//   integers                      decimal digits, in the range of the type  4 or 8, little-endian
//   FLOAT, DOUBLE, FLOAT16        decimal, optional exponent; inf, nan      the nearest value, little-endian
//   DECIMAL                       decimal_text.h                            4 or 8, little-endian; big-endian
//   DATE, TIME, TIMESTAMP, INT96  calendar_text.h                           4, 8 or 12, little-endian
//   UUID                          32 hexadecimal digits, 8-4-4-4-12 or bare  16
//   other fixed bytes             exactly as many bytes as the type has     unchanged
//
// For BYTE_ARRAY columns other than decimals the text is the value, so they have no ColumnText. INTERVAL, and
// logical types that do not fit or are unknown, have no text; their values are queried by hex.
//
// Source: docs/formats/parquet.md.   Not here: other encodings of an equal value (equal_values.h).
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "bloomery/hash/key_type.h"
#include "codec/parquet/column_type.h"

namespace bloomery::parquet {

class ColumnText final : public KeyType {
 public:
  // Returns null if the text is the value itself.
  static std::shared_ptr<const ColumnText> of(const ColumnType& type);

  explicit ColumnText(const ColumnType& type) : type_(type), name_(type_name(type)) {}

  const std::string& name() const override { return name_; }
  using KeyType::append;
  Status append(KeyWriter& writer, std::span<const std::string_view> texts) const override;
  bool takes(KeyForm form) const override;
  Status check(std::span<const std::byte> value) const override;

 private:
  Status append_value(KeyWriter& writer, std::string_view text) const;
  Status append_physical(KeyWriter& writer, std::string_view text) const;
  Status append_integer(KeyWriter& writer, std::string_view text) const;
  Status append_decimal(KeyWriter& writer, std::string_view text) const;
  Status append_date(KeyWriter& writer, std::string_view text) const;
  Status append_time(KeyWriter& writer, std::string_view text) const;
  Status append_timestamp(KeyWriter& writer, std::string_view text) const;
  Status append_int96(KeyWriter& writer, std::string_view text) const;
  Status append_uuid(KeyWriter& writer, std::string_view text) const;
  Status append_half(KeyWriter& writer, std::string_view text) const;
  Status append_fixed(KeyWriter& writer, std::string_view text) const;
  template <typename Float>
  Status append_float(KeyWriter& writer, std::string_view text) const;
  template <typename Integer>
  Status append_whole(KeyWriter& writer, std::string_view text, Integer least, Integer most) const;
  Error refused(const std::string& expected, std::string_view text) const;

  ColumnType type_;
  std::string name_;
};

}  // namespace bloomery::parquet
