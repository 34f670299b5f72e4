// A position in PostgreSQL's log (LSN). Its text has the high and the low half in hexadecimal: "16/B374D848".
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bloomery::postgres {

struct Lsn {
  std::uint64_t value = 0;

  friend auto operator<=>(const Lsn&, const Lsn&) = default;
};

std::string to_text(Lsn lsn);
// Parses the text of an LSN. Returns nothing for any other text.
std::optional<Lsn> parse_lsn(std::string_view text);

}  // namespace bloomery::postgres
