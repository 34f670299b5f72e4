#include "cli/query_printer.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bit_runs.h"
#include "base/link_target.h"
#include "cli/exit_status.h"

namespace bloomery::cli {
namespace {

// Opens the file of --absent-to. Without `may_replace` it must be a new file, or a non-regular one such as a
// pipe.
int open_absent(const std::string& path, bool may_replace) {
  constexpr mode_t kAsTheUmaskSays = 0666;
  struct stat old {};
  const bool is_there = ::stat(path.c_str(), &old) == 0;
  if (is_there && !S_ISREG(old.st_mode)) {
    return ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  }
  return ::open(link_target(path).c_str(), O_WRONLY | O_CREAT | (may_replace ? O_TRUNC : O_EXCL) | O_CLOEXEC,
                kAsTheUmaskSays);
}

}  // namespace

QueryPrinter::QueryPrinter(const QueryOptions& options)
    : options_(options), left_(options.most_lines()), output_(STDOUT_FILENO) {
  if (options.only_key) {
    key_texts_.emplace(options.keys.place());
  }
}

QueryPrinter::QueryPrinter(QueryPrinter&& other) noexcept
    : options_(other.options_),
      left_(other.left_),
      selected_(other.selected_),
      selected_before_(other.selected_before_),
      header_(std::move(other.header_)),
      key_texts_(std::move(other.key_texts_)),
      output_(std::move(other.output_)),
      absent_file_(std::exchange(other.absent_file_, -1)),
      absent_(std::move(other.absent_)) {}

QueryPrinter::~QueryPrinter() {
  if (absent_file_ >= 0) {
    ::close(absent_file_);
  }
}

Result<QueryPrinter> QueryPrinter::open(const QueryOptions& options) {
  QueryPrinter printer(options);
  if (!options.absent_to.empty()) {
    BLOOMERY_RETURN_IF_ERROR(options.check_inputs_are_there());
    const int file = open_absent(options.absent_to, options.force);
    if (file < 0) {
      return Error::io(options.absent_to, "open", errno);
    }
    printer.absent_file_ = file;
    printer.absent_.emplace(file, options.absent_to);
  }
  return printer;
}

Result<bool> QueryPrinter::print(const AskedLines& lines, std::span<const std::uint64_t> answers) {
  BLOOMERY_RETURN_IF_ERROR(begin_file(lines));
  if (absent_) {
    BLOOMERY_RETURN_IF_ERROR(write_absent(lines, answers));
  }
  if (options_.answers) {
    BLOOMERY_RETURN_IF_ERROR(answer(lines, answers));
    return true;
  }
  BLOOMERY_RETURN_IF_ERROR(select(lines, answers));
  if (options_.line_buffered && options_.prints_lines()) {
    BLOOMERY_RETURN_IF_ERROR(output_.flush());
  }
  return wants_more() && !(options_.names_only && selected_ > selected_before_);
}

// Prints the first file's header where lines are printed, also to --absent-to. Warns if another file has a
// different header.
Status QueryPrinter::begin_file(const AskedLines& lines) {
  if (!lines.batch.header) {
    return {};
  }
  const std::string_view header = *lines.batch.header;
  if (key_texts_) {
    return key_texts_->begin_file(header);
  }
  const bool prints_lines = options_.prints_lines() && !options_.answers;
  if (!header_.empty()) {
    if (header != header_ && (prints_lines || absent_)) {
      warn("query", "warning: the files have different header lines; only the first was printed");
    }
    return {};
  }
  header_ = header;
  if (prints_lines) {
    BLOOMERY_RETURN_IF_ERROR(output_.write(prefix(lines, 1)));
    BLOOMERY_RETURN_IF_ERROR(write_line(output_, header));
  }
  return absent_ ? write_line(*absent_, header) : Status();
}

Status QueryPrinter::select(const AskedLines& lines, std::span<const std::uint64_t> answers) {
  const bool printed = options_.prints_lines();
  const bool prefixed = shows_names() || options_.line_numbers;
  const bool selected = !options_.invert;
  const std::size_t size = lines.batch.lines.size();
  for (std::size_t i = next_bit(answers, selected, 0, size); i < size && left_ > 0;) {
    const std::size_t run_end = next_bit(answers, !selected, i, size);
    const std::size_t end = i + std::min<std::uint64_t>(left_, run_end - i);
    selected_ += end - i;
    left_ -= end - i;
    if (printed) {
      BLOOMERY_RETURN_IF_ERROR(prefixed ? write_prefixed(lines, i, end) : write_run(output_, lines, i, end));
    }
    i = next_bit(answers, selected, end, size);
  }
  return {};
}

Status QueryPrinter::answer(const AskedLines& lines, std::span<const std::uint64_t> answers) {
  const bool prefixed = shows_names() || options_.line_numbers;
  std::string text;
  for (std::size_t i = 0; i < lines.batch.lines.size(); ++i) {
    const bool may_be_in = ((answers[i / 64] >> (i % 64)) & 1) != 0;
    selected_ += may_be_in ? 1 : 0;
    text = prefixed ? prefix(lines, lines.first_line + lines.batch.place(i)) : std::string();
    if (options_.with_line) {
      BLOOMERY_ASSIGN_OR_RETURN(const std::string_view line, shown(lines, i));
      text += line;
      text += '\t';
    }
    text += may_be_in ? '1' : '0';
    BLOOMERY_RETURN_IF_ERROR(write_line(output_, text));
  }
  return output_.flush();
}

Status QueryPrinter::write_run(Output& output, const AskedLines& lines, std::size_t begin, std::size_t end) {
  for (; key_texts_ && begin < end; ++begin) {
    BLOOMERY_ASSIGN_OR_RETURN(const std::string_view key, shown(lines, begin));
    BLOOMERY_RETURN_IF_ERROR(write_line(output, key));
  }
  if (key_texts_) {
    return {};
  }
  while (begin < end) {
    const std::size_t unbroken = lines.batch.unbroken_end(begin, end);
    BLOOMERY_RETURN_IF_ERROR(output.write(lines.batch.piece(begin, unbroken)));
    begin = unbroken;
  }
  return lines.batch.is_terminated(end) ? Status() : write_line(output, "");
}

Result<std::string_view> QueryPrinter::shown(const AskedLines& lines, std::size_t i) {
  return key_texts_ ? key_texts_->of(lines.batch.lines[i]) : Result<std::string_view>(lines.batch.lines[i]);
}

Status QueryPrinter::write_line(Output& output, std::string_view text) {
  BLOOMERY_RETURN_IF_ERROR(output.write(text));
  return output.write(std::string(1, options_.keys.line_delimiter()));
}

Status QueryPrinter::write_prefixed(const AskedLines& lines, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    BLOOMERY_RETURN_IF_ERROR(output_.write(prefix(lines, lines.first_line + lines.batch.place(i))));
    BLOOMERY_RETURN_IF_ERROR(write_run(output_, lines, i, i + 1));
  }
  return {};
}

Status QueryPrinter::write_absent(const AskedLines& lines, std::span<const std::uint64_t> answers) {
  const std::size_t size = lines.batch.lines.size();
  for (std::size_t i = next_bit(answers, false, 0, size); i < size;) {
    const std::size_t end = next_bit(answers, true, i, size);
    BLOOMERY_RETURN_IF_ERROR(write_run(*absent_, lines, i, end));
    i = next_bit(answers, false, end, size);
  }
  return options_.line_buffered || options_.answers ? absent_->flush() : Status();
}

// Returns what is printed before line `number` of a file: its name and number, as far as the options ask for
// them.
std::string QueryPrinter::prefix(const AskedLines& lines, std::uint64_t number) const {
  std::string text = shows_names() ? lines.name + ":" : std::string();
  if (options_.line_numbers) {
    text += std::to_string(number) + ":";
  }
  return text;
}

Status QueryPrinter::write_count(const std::string& name, std::uint64_t count) {
  return output_.write((options_.no_name ? "" : name + ":") + std::to_string(count) + "\n");
}

Status QueryPrinter::end_input(const std::string& name) {
  const std::uint64_t here = selected_ - std::exchange(selected_before_, selected_);
  if (options_.names_only) {
    return here > 0 && !options_.quiet ? output_.write(name + "\n") : Status();
  }
  return options_.count_only && !options_.quiet && options_.one_by_one() ? write_count(name, here) : Status();
}

Status QueryPrinter::flush() {
  const Status printed = output_.flush();
  const Status absent = absent_ ? absent_->flush() : Status();
  return printed ? absent : printed;
}

Status QueryPrinter::finish() {
  if (options_.count_only && !options_.quiet && !options_.one_by_one()) {
    BLOOMERY_RETURN_IF_ERROR(output_.write(std::to_string(selected_) + "\n"));
  }
  BLOOMERY_RETURN_IF_ERROR(output_.flush());
  if (!absent_) {
    return {};
  }
  BLOOMERY_RETURN_IF_ERROR(absent_->flush());
  return ::close(std::exchange(absent_file_, -1)) == 0 ? Status()
                                                       : Error::io(options_.absent_to, "close", errno);
}

}  // namespace bloomery::cli
