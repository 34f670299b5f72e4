// Prints the results of `query`. The options choose one format for the entire run:
//
//   (none)        the lines that may be in; contiguous lines are printed in one write
//   -H, -n        the same lines, each prefixed by NAME:NUMBER:
//   --only-key    only the text of each line's key
//   --answers     1 or 0 for every line. A batch's answers are written before the next read can block, so
//                 that a program can send a line and wait for its answer
//   -c, -l, -q    no lines; the count or the name of each input, or nothing at all
//
//   open (print* end_input)* finish
//
// In addition, --absent-to receives the lines that are certainly absent. Where lines are printed, the header
// of the first file comes before them. A skipped line is printed nowhere. verb_query.cc queries the filters.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "bloomery/base/result.h"
#include "cli/output.h"
#include "cli/query_options.h"
#include "keys/key_text.h"
#include "keys/line_reader.h"

namespace bloomery::cli {

// Consecutive lines of one file.
struct AskedLines {
  const LineBatch& batch;
  const std::string& name;       // the name in output
  const std::string& read_from;  // the name in error messages
  std::uint64_t first_line;
};

class QueryPrinter {
 public:
  // Opens --absent-to, and truncates it with --force. Errors: kIo; a file of that name that may not be
  // replaced; a missing input, before any file is touched. `options` must outlive the printer.
  static Result<QueryPrinter> open(const QueryOptions& options);
  QueryPrinter(QueryPrinter&& other) noexcept;
  QueryPrinter& operator=(QueryPrinter&&) = delete;
  ~QueryPrinter();

  // Prints a batch. Bit i of `answers` is set if line i may be in. Returns true if more lines of this input
  // are needed.
  Result<bool> print(const AskedLines& lines, std::span<const std::uint64_t> answers);
  // Ends an input: prints its count or name, if the options ask for it.
  Status end_input(const std::string& name);
  // Returns true if another input is needed.
  bool wants_more() const { return left_ > 0 && !(options_.quiet && selected_ > 0); }
  // Writes the buffered output, for example before an error is reported.
  Status flush();
  // Writes the remaining output, and the total count of all inputs. Must be called once.
  Status finish();

  // Returns the total number of selected lines.
  std::uint64_t selected() const { return selected_; }

 private:
  explicit QueryPrinter(const QueryOptions& options);

  Status select(const AskedLines& lines, std::span<const std::uint64_t> answers);
  Status answer(const AskedLines& lines, std::span<const std::uint64_t> answers);
  Status write_run(Output& output, const AskedLines& lines, std::size_t begin, std::size_t end);
  Status begin_file(const AskedLines& lines);
  Result<std::string_view> shown(const AskedLines& lines, std::size_t i);
  Status write_prefixed(const AskedLines& lines, std::size_t begin, std::size_t end);
  Status write_absent(const AskedLines& lines, std::span<const std::uint64_t> answers);
  Status write_count(const std::string& name, std::uint64_t count);
  Status write_line(Output& output, std::string_view text);
  std::string prefix(const AskedLines& lines, std::uint64_t number) const;
  bool shows_names() const { return options_.with_name && !options_.no_name; }

  const QueryOptions& options_;
  std::uint64_t left_;
  std::uint64_t selected_ = 0;
  std::uint64_t selected_before_ = 0;  // the number of selected lines in earlier inputs
  std::string header_;                 // the first file's header line
  std::optional<KeyText> key_texts_;   // set if only keys are printed
  Output output_;
  int absent_file_ = -1;
  std::optional<Output> absent_;
};

}  // namespace bloomery::cli
