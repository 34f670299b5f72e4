// Prints results as HBase's shell does.
//
//   COLUMN   CELL                                        to a file, columns are separated by a space
//    f:q     timestamp=2023-11-14T22:13:20, value=v      to a terminal, the first one has a quarter of it
//   1 row(s)
//
// Bytes outside 0x20 to 0x7e, and the backslash, are \xHH, as Bytes.toStringBinary() writes them. Times are
// local, unless HBase's setting hbase.shell.timestamp.format.epoch (here --epoch) wants milliseconds.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "bloomery/hfile/cell.h"
#include "cli/output.h"

namespace bloomery::cli {

std::string string_binary(std::string_view bytes);
// Returns a big-endian number as Bytes.toLong() reads it; a value of another length as string_binary().
template <typename Number>
std::string number_text(std::string_view value) {
  std::uint64_t number = 0;
  for (const char byte : value) {
    number = number << 8 | static_cast<unsigned char>(byte);
  }
  return value.size() == sizeof(Number) ? std::to_string(static_cast<Number>(number)) : string_binary(value);
}
// Returns milliseconds since 1970 as java.time.LocalDateTime prints them: seconds and milliseconds only if
// they are not zero.
std::string local_time(std::int64_t ms);

// Prints a value.
using ValueConverter = std::string (*)(std::string_view value);

// How cells are printed.
struct CellLook {
  std::optional<std::size_t> most_bytes = {};                                     // MAXLENGTH
  std::map<std::pair<std::string, std::string>, ValueConverter> converters = {};  // of a family's qualifier
};

struct ShellTextForm {
  std::size_t columns = 0;  // of the terminal; 0: no terminal
  bool prints_epoch = false;
};

class ShellText {
 public:
  explicit ShellText(ShellTextForm form);

  Status header(std::string_view first, std::string_view second);
  Status row(std::string_view first, std::string_view second);
  Status line(std::string_view text);
  // Prints a cell: its column and value, or with the row in front as a scan does.
  Status cell_of_get(const Cell& cell, const CellLook& look);
  Status cell_of_scan(const Cell& cell, const CellLook& look);
  Status rows(std::uint64_t count);
  // Call it at the end of a command.
  Status flush() { return output_.flush(); }
  // Returns a time as cells show theirs.
  std::string time(std::int64_t ms) const;
  bool is_terminal() const { return form_.columns > 0; }
  void set_columns(std::size_t columns) { form_.columns = columns; }

 private:
  Status two(std::string_view margin, std::string_view first, std::string_view second, std::size_t width);
  std::string time_and_value(const Cell& cell, const CellLook& look) const;

  ShellTextForm form_;
  Output output_;
};

}  // namespace bloomery::cli
