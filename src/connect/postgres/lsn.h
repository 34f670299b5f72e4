// A position in PostgreSQL's log (LSN), and its text: "16/B374D848", the high and the low half in
// hexadecimal.
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
// Returns nothing for any other text.
std::optional<Lsn> parse_lsn(std::string_view text);

}  // namespace bloomery::postgres
