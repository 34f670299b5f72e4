// bloomery table put, increment and append: one cell of a row.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/byte_text.h"
#include "cli/exit_status.h"
#include "cli/hfile/cell_options.h"
#include "cli/numbers.h"
#include "cli/table/write_place.h"
#include "cli/verbs.h"
#include "hash/ascii_text.h"

namespace bloomery::cli {
namespace {

constexpr const char* kTablePutVerb = "table put";
constexpr const char* kTablePutDescription =
    R"(Put a value into a column of a row.

  bloomery table put shop orders o1001 d:state open
  bloomery table put shop orders 'o\x00' d:state open --timestamp 1700000000000
  bloomery table put shop orders o1001 d:note -- -1          # a value that begins with -

ROW, FAMILY:QUALIFIER and VALUE are bytes; \xHH is one, \\ a backslash. When the verb ends, the row is on the disk, in the log.
Another verb or `table flush` writes it to a file. For many rows use `table import`.)";

constexpr const char* kTableIncrementVerb = "table increment";
constexpr const char* kTableIncrementDescription =
    R"(Add to a column of 8 bytes, and print the sum.

  bloomery table increment shop orders o1001 d:seen        # by 1
  bloomery table increment shop orders o1001 d:seen 10
  bloomery table increment shop orders o1001 d:seen -- -3

A row without the column gets it. A value of another length is an error.)";

constexpr const char* kTableAppendVerb = "table append";
constexpr const char* kTableAppendDescription =
    R"(Append to the value of a column, and print the new value.

  bloomery table append shop orders o1001 d:log ';paid'

A row without the column gets it. Other bytes than 0x21 to 0x7e and the backslash are printed as \xHH.)";

struct TablePutOptions {
  WritePlace place;
  std::string row;
  std::string column;
  std::string value;
  std::string timestamp;
};

struct Column {
  std::string family;
  std::string qualifier;
};

Result<Column> column_of(const std::string& given) {
  BLOOMERY_ASSIGN_OR_RETURN(const ChosenColumn column, parse_column(given));
  if (!column.qualifier) {
    return Error::invalid_argument(
        "column", fmt::format("expected FAMILY:QUALIFIER, found '{}'", printable_text(given)));
  }
  return Column{column.family, *column.qualifier};
}

Status put(const TablePutOptions& options) {
  BLOOMERY_ASSIGN_OR_RETURN(const Column column, column_of(options.column));
  std::optional<std::int64_t> timestamp;
  if (!options.timestamp.empty()) {
    BLOOMERY_ASSIGN_OR_RETURN(timestamp, parse_milliseconds("--timestamp", options.timestamp));
  }
  const std::string row = unescape_bytes(options.row);
  const std::string value = unescape_bytes(options.value);
  const Mutation mutation{.row = row,
                          .family = column.family,
                          .qualifier = column.qualifier,
                          .timestamp = timestamp,
                          .value = value};
  return options.place.write(false, [&](StoreTable& table, const bloomery::WriteOptions& how) {
    return table.mutate({&mutation, 1}, how);
  });
}

Status increment(const TablePutOptions& options) {
  BLOOMERY_ASSIGN_OR_RETURN(const Column column, column_of(options.column));
  const auto amount = number_from_text<std::int64_t>(options.value);
  if (!amount) {
    return Error::invalid_argument(
        "AMOUNT", fmt::format("expected a whole number, found '{}'", printable_text(options.value)));
  }
  std::int64_t sum = 0;
  BLOOMERY_RETURN_IF_ERROR(
      options.place.write(false, [&](StoreTable& table, const bloomery::WriteOptions& how) -> Status {
        BLOOMERY_ASSIGN_OR_RETURN(
            sum, table.increment(unescape_bytes(options.row), column.family, column.qualifier, *amount, how));
        return {};
      }));
  fmt::print("{}\n", sum);
  return {};
}

Status append(const TablePutOptions& options) {
  BLOOMERY_ASSIGN_OR_RETURN(const Column column, column_of(options.column));
  std::string whole;
  BLOOMERY_RETURN_IF_ERROR(
      options.place.write(false, [&](StoreTable& table, const bloomery::WriteOptions& how) -> Status {
        BLOOMERY_ASSIGN_OR_RETURN(whole, table.append(unescape_bytes(options.row), column.family,
                                                      column.qualifier, unescape_bytes(options.value), how));
        return {};
      }));
  fmt::print("{}\n", escape_bytes(whole));
  return {};
}

CLI::App* add_cell_verb(CLI::App& table, const char* name, const char* description,
                        TablePutOptions& options) {
  CLI::App* const verb = table.add_subcommand(name, description);
  options.place.add_to(*verb);
  verb->add_option("ROW", options.row, "the row; \\xHH is a byte")->required();
  verb->add_option("FAMILY:QUALIFIER", options.column, "the column; \\xHH is a byte")->required();
  return verb;
}

}  // namespace

void add_table_put_verb(CLI::App& table, int& exit_status) {
  const auto options = std::make_shared<TablePutOptions>();
  CLI::App* const verb = add_cell_verb(table, "put", kTablePutDescription, *options);
  verb->add_option("VALUE", options->value, "the value; \\xHH is a byte")->required();
  verb->add_option("--timestamp", options->timestamp, "milliseconds since 1970 (default: now)");
  verb->callback([options, &exit_status] {
    const Status written = put(*options);
    exit_status = written ? kDone : report(kTablePutVerb, written.error());
  });
}

void add_table_increment_verb(CLI::App& table, int& exit_status) {
  const auto options = std::make_shared<TablePutOptions>();
  options->value = "1";
  CLI::App* const verb = add_cell_verb(table, "increment", kTableIncrementDescription, *options);
  verb->add_option("AMOUNT", options->value, "what is added")->capture_default_str();
  verb->callback([options, &exit_status] {
    const Status written = increment(*options);
    exit_status = written ? kDone : report(kTableIncrementVerb, written.error());
  });
}

void add_table_append_verb(CLI::App& table, int& exit_status) {
  const auto options = std::make_shared<TablePutOptions>();
  CLI::App* const verb = add_cell_verb(table, "append", kTableAppendDescription, *options);
  verb->add_option("VALUE", options->value, "what is appended; \\xHH is a byte")->required();
  verb->callback([options, &exit_status] {
    const Status written = append(*options);
    exit_status = written ? kDone : report(kTableAppendVerb, written.error());
  });
}

}  // namespace bloomery::cli
