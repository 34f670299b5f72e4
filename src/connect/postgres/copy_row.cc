#include "connect/postgres/copy_row.h"

#include "base/message.h"

namespace bloomery::postgres {
namespace {

// Returns the byte that a backslash and `letter` mean. PostgreSQL never sends octal or hexadecimal escapes.
char unescaped_letter(char letter) {
  switch (letter) {
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case 'v':
      return '\v';
    default:
      return letter;
  }
}

}  // namespace

Status CopyRow::read(std::string_view line, std::size_t columns) {
  if (!line.empty() && line.back() == '\n') {
    line.remove_suffix(1);
  }
  text_.clear();
  text_.reserve(line.size());  // the text never grows beyond this, so views of it stay valid
  fields_.clear();
  while (true) {
    const std::size_t tab = line.find('\t');
    const std::string_view field = line.substr(0, tab);
    if (field == "\\N") {
      fields_.emplace_back(std::nullopt);
    } else {
      const std::size_t begin = text_.size();
      for (std::size_t i = 0; i < field.size(); ++i) {
        if (field[i] == '\\') {
          if (++i == field.size()) {
            return Error::corruption("COPY row", i,
                                     "expected a letter behind a backslash, found the end of the field");
          }
          text_ += unescaped_letter(field[i]);
        } else {
          text_ += field[i];
        }
      }
      fields_.emplace_back(std::string_view(text_).substr(begin));
    }
    if (tab == std::string_view::npos) {
      break;
    }
    line.remove_prefix(tab + 1);
  }
  if (fields_.size() != columns) {
    return Error::corruption("COPY row", 0, message("expected ", columns, " fields, found ", fields_.size()));
  }
  return {};
}

}  // namespace bloomery::postgres
