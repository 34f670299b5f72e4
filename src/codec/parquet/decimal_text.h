// Decimals as text, exactly: perhaps a minus sign, digits, perhaps a point and digits.
//
// The value is the whole number of units of 10^-scale. Digits behind the point that the scale does not hold
// must be zeros. The value may have at most `precision` digits. There is no exponent and no plus sign.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "bloomery/base/result.h"
#include "codec/parquet/column_type.h"

namespace bloomery::parquet {

// Returns the unscaled value in the fewest bytes: big-endian two's complement, at least one byte. Errors:
// kInvalidArgument without a subject's type; the caller names it. Precondition: `type` is a kDecimal that
// checked() has let pass.
Result<std::string> unscaled_from_text(std::string_view text, const LogicalType& type);

// Returns the value in `bytes` bytes, by repeating its sign. Precondition: it is no longer than that.
std::string sign_extended(std::string_view value, std::size_t bytes);

// Returns the fewest bytes that hold every value of so many digits.
std::size_t bytes_of_precision(std::int32_t precision);

}  // namespace bloomery::parquet
