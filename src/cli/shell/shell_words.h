// The constants of the shell's language, with HBase's names.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace bloomery::cli {

// All names, sorted: attributes of tables and families, and words of gets and scans.
std::span<const std::string> shell_constants();
// Returns the text of a constant: its name, except STARTKEY, ENDROW and ENDKEY, which are other
// names of STARTROW and STOPROW. Returns nothing if there is no such constant.
std::optional<std::string> shell_constant(std::string_view name);

}  // namespace bloomery::cli
