// Makes puts and deletes of the lines of `table import`.
//
//   kTabs, kJson   one cell a line, in any order, as `hfile write` reads them (cli/hfile/cell_parser.h)
//   kCsv           a record of RFC 4180 on one line; the mapping says what each field is:
//                  row | timestamp | - (not used) | FAMILY:QUALIFIER
//
// A cell without a timestamp gets that of the write. Tags are refused, mvcc is not used. A field of CSV has
// no escapes; an empty one is an empty value.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/store/mutation.h"
#include "cli/hfile/cell_parser.h"
#include "keys/field_reader.h"

namespace bloomery::cli {

// What a field of CSV is.
struct CsvField {
  enum class Is : std::uint8_t { kRow, kTimestamp, kUnused, kColumn };

  Is is = Is::kUnused;
  std::string family = {};
  std::string qualifier = {};
};

// Parses a mapping: "row,d:state,-,timestamp". Errors: kInvalidArgument, also unless `row` is in it once.
Result<std::vector<CsvField>> parse_csv_mapping(std::string_view text);

class ImportParser {
 public:
  // Without a timestamp, cells whose line has none get that of the write.
  ImportParser(CellForm form, std::optional<std::int64_t> timestamp);
  ImportParser(std::vector<CsvField> mapping, std::optional<std::int64_t> timestamp);

  // Appends the mutations of a line. Their texts are views of the line, of the parser and of memory from
  // `arena`. Errors: kInvalidArgument without a subject.
  Status parse(std::string_view line, std::pmr::memory_resource& arena, std::vector<Mutation>& mutations);

 private:
  Status parse_cell(std::string_view line, std::pmr::memory_resource& arena,
                    std::vector<Mutation>& mutations);
  Status parse_csv(std::string_view line, std::pmr::memory_resource& arena, std::vector<Mutation>& mutations);

  CellParser cells_;
  FieldReader csv_;
  std::vector<CsvField> mapping_;  // empty: lines of cells
  std::optional<std::int64_t> timestamp_;
  std::vector<std::string_view> fields_;
};

}  // namespace bloomery::cli
