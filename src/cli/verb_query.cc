// bloomery query: prints the lines whose key may be in one of the filters. It is grep for filters.
#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <unistd.h>

#include "base/bit_runs.h"
#include "base/file.h"
#include "bloomery/filter/native_filter.h"
#include "cli/batch_keys.h"
#include "cli/dialect_choice.h"
#include "cli/digest_hint.h"
#include "cli/exit_status.h"
#include "cli/file_conflicts.h"
#include "cli/key_filter.h"
#include "cli/key_options.h"
#include "cli/numbers.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "filter/native/exception_table.h"
#include "keys/key_text.h"

namespace bloomery::cli {
namespace {

constexpr const char* kDescription =
    R"(Print the lines whose key may be in the filter: grep for sets that fit nowhere else.

  seq 1000 | bloomery build -o thousand.bloom -n 1000 -p 1e-4 --force; seq 990 2000 | bloomery query thousand.bloom
  seq 990 2000 | bloomery query -v thousand.bloom | wc -l      # certainly not in it
  bloomery query -q thousand.bloom /etc/passwd || echo none of them
  bloomery query --dialect guava users.bf names.txt          # a filter that Guava wrote
  seq 1001 1500 > white.txt; seq 990 2000 | bloomery query --allow white.txt thousand.bloom)";

// Filters up to this size are read into huge pages, which make a query a fifth cheaper (measured at 18 MB).
// Larger ones are mapped, so that a filter that fills most of the memory can still be asked.
constexpr std::uint64_t kLoadedBytes = std::uint64_t{1} << 30;

struct Options {
  std::string filter;
  std::vector<std::string> more_filters;
  std::vector<std::string> allowed_files;
  bool invert = false;
  bool count_only = false;
  bool quiet = false;
  bool line_buffered = false;
  bool no_verify = false;
  bool no_summary = false;
  bool only_key = false;
  std::string max_count;
  DialectChoice dialect;
  KeyOptions keys;
  std::vector<std::string> files;
};

// Several filters that answer as one: a key may be in if any of them says so.
class AnyOf {
 public:
  static Result<AnyOf> open(const Options& options) {
    AnyOf any(options.keys.place());
    any.names_ = {options.filter};
    any.names_.insert(any.names_.end(), options.more_filters.begin(), options.more_filters.end());
    for (const std::string& name : any.names_) {
      BLOOMERY_ASSIGN_OR_RETURN(
          std::unique_ptr<KeyFilter> filter,
          open_key_filter("query", name, options.dialect, options.keys, access_to(name, options), any.keys_));
      any.filters_.push_back(std::move(filter));
    }
    BLOOMERY_RETURN_IF_ERROR(any.read_allowed(options));
    return any;
  }

  // Bit i of `answers` is set if line i may be in. Drops from the batch the lines that are left out.
  Status answer(LineBatch& batch, std::uint64_t first_line, std::vector<std::uint64_t>& answers) {
    BLOOMERY_RETURN_IF_ERROR(keys_.begin(batch, first_line));
    const std::size_t words = answer_words(batch.lines.size());
    answers.resize(words);
    BLOOMERY_RETURN_IF_ERROR(filters_.front()->answer(keys_, answers));
    for (std::size_t i = 1; i < filters_.size(); ++i) {
      more_answers_.resize(words);
      BLOOMERY_RETURN_IF_ERROR(filters_[i]->answer(keys_, more_answers_));
      std::transform(answers.begin(), answers.end(), more_answers_.begin(), answers.begin(), std::bit_or<>());
    }
    if (!allowed_.empty()) {
      BLOOMERY_ASSIGN_OR_RETURN(const std::span<const Hash128> hashes, filters_.front()->identities(keys_));
      allowed_.clear_excepted(hashes, answers);
    }
    return {};
  }

  // Whether all files are still whole, so that the answers hold.
  Status file_status() const {
    for (std::size_t i = 0; i < filters_.size(); ++i) {
      if (const Status whole = filters_[i]->file_status(); !whole) {
        return whole.error().in_file(names_[i]);
      }
    }
    return {};
  }

  // Returns an error if a filter found damage while it was asked.
  Status status() const {
    for (std::size_t i = 0; i < filters_.size(); ++i) {
      if (const Status sound = filters_[i]->status(); !sound) {
        return sound.error().in_file(names_[i]);
      }
    }
    return {};
  }

  KeyTally tally() const { return keys_.tally(); }
  bool are_plain_text() const { return keys_.are_plain_text(); }

  // Whether some keys are answered no although they would match. Then fewer maybes are wrong than the fpp
  // says.
  bool have_exceptions() const {
    return !allowed_.empty() ||
           std::ranges::any_of(filters_, [](const auto& filter) { return filter->has_exceptions(); });
  }

  // Returns the probability that an absent key is answered maybe by any of them.
  double current_fpp() const {
    double all_say_no = 1;
    for (const std::unique_ptr<KeyFilter>& filter : filters_) {
      all_say_no *= 1 - filter->current_fpp();
    }
    return 1 - all_say_no;
  }

 private:
  explicit AnyOf(KeyPlace place) : keys_(std::move(place)) {}

  static OpenOptions access_to(const std::string& name, const Options& options) {
    const Result<FileFacts> facts = FileSystem::real().facts(name);
    const bool small = facts && facts->size_bytes <= kLoadedBytes;
    return {.access = small ? Access::kCopy : Access::kMap,
            .verify = options.no_verify ? Verify::kHeaderOnly : Verify::kChecksums};
  }

  // Reads --allow: keys that are known not to be in, whatever the filters say. Compares all 128 bits of a
  // hash.
  Status read_allowed(const Options& options) {
    if (options.allowed_files.empty()) {
      return {};
    }
    InputFiles input(options.allowed_files, options.keys.input_shape());
    std::vector<Hash128> all;
    BLOOMERY_RETURN_IF_ERROR(for_each_line_batch("query", input, [&](LineBatch& batch) -> Result<bool> {
      if (const Status begun = keys_.begin(batch, input.first_line()); !begun) {
        return begun.error().in_file(input.current_name());
      }
      const Result<std::span<const Hash128>> hashes = filters_.front()->identities(keys_);
      if (!hashes) {
        return hashes.error().in_file(input.current_name());
      }
      all.insert(all.end(), hashes->begin(), hashes->end());
      return true;
    }));
    allowed_ = ExceptionTable::of(std::move(all));
    keys_.count_from_here();
    return {};
  }

  BatchKeys keys_;
  std::vector<std::unique_ptr<KeyFilter>> filters_;
  ExceptionTable allowed_;
  std::vector<std::string> names_;
  std::vector<std::uint64_t> more_answers_;
};

struct Counts {
  std::uint64_t keys = 0;
  std::uint64_t maybe = 0;
  std::uint64_t selected = 0;
};

// Selects lines by the bits of `answers` and prints them. Neighbouring lines are printed in one piece.
class Printer {
 public:
  Printer(const Options& options, std::uint64_t most)
      : options_(options), left_(most), output_(STDOUT_FILENO) {
    if (options.only_key) {
      key_texts_.emplace(options.keys.place());
    }
  }

  // Returns whether more lines are wanted.
  Result<bool> print(const LineBatch& batch, std::span<const std::uint64_t> answers, Counts& counts) {
    const bool silent = options_.quiet || options_.count_only;
    if (batch.header && !silent) {
      BLOOMERY_RETURN_IF_ERROR(print_header(*batch.header));
    }
    const std::size_t size = batch.lines.size();
    const bool selected = !options_.invert;
    for (std::size_t i = next_bit(answers, selected, 0, size); i < size && left_ > 0;) {
      const std::size_t run_end = next_bit(answers, !selected, i, size);
      const std::size_t end = i + std::min<std::uint64_t>(left_, run_end - i);
      counts.selected += end - i;
      left_ -= end - i;
      if (!silent) {
        BLOOMERY_RETURN_IF_ERROR(print_run(batch, i, end));
      }
      i = next_bit(answers, selected, end, size);
    }
    if (options_.line_buffered && !silent) {
      BLOOMERY_RETURN_IF_ERROR(output_.flush());
    }
    return left_ > 0 && !(options_.quiet && counts.selected > 0);
  }

  Status print_count(std::uint64_t count) { return output_.write(std::to_string(count) + "\n"); }
  Status flush() { return output_.flush(); }

 private:
  Status print_run(const LineBatch& batch, std::size_t begin, std::size_t end) {
    if (key_texts_) {
      return print_keys(batch, begin, end);
    }
    while (begin < end) {
      const std::size_t unbroken = batch.unbroken_end(begin, end);
      BLOOMERY_RETURN_IF_ERROR(output_.write(batch.piece(begin, unbroken)));
      begin = unbroken;
    }
    return batch.is_terminated(end) ? Status() : end_line();
  }

  Status print_keys(const LineBatch& batch, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      BLOOMERY_ASSIGN_OR_RETURN(const std::string_view key, key_texts_->of(batch.lines[i]));
      BLOOMERY_RETURN_IF_ERROR(output_.write(key));
      BLOOMERY_RETURN_IF_ERROR(end_line());
    }
    return {};
  }

  // The output has one header, that of the first file.
  Status print_header(std::string_view header) {
    if (key_texts_) {
      return key_texts_->begin_file(header);
    }
    if (!header_.empty()) {
      if (header != header_) {
        warn("query", "warning: the files have different header lines; only the first was printed");
      }
      return {};
    }
    header_ = header;
    BLOOMERY_RETURN_IF_ERROR(output_.write(header));
    return end_line();
  }

  Status end_line() { return output_.write(std::string(1, options_.keys.line_delimiter())); }

  const Options& options_;
  std::uint64_t left_;
  std::string header_;  // of the first file
  std::optional<KeyText> key_texts_;
  Output output_;
};

void summarize(const AnyOf& filters, const Counts& counts) {
  const double fpp = filters.current_fpp();
  const auto absent = static_cast<double>(counts.keys - counts.maybe);
  const double wrong = fpp < 1 ? std::min(absent * fpp / (1 - fpp), static_cast<double>(counts.maybe))
                               : static_cast<double>(counts.maybe);
  warn("query",
       fmt::format("{} keys, {} may be in, {} are not; {} {:.3g} of the maybes are wrong (fpp {})",
                   show_count(counts.keys), show_count(counts.maybe), show_count(counts.keys - counts.maybe),
                   filters.have_exceptions() ? "at most about" : "about", wrong, show_probability(fpp)));
}

// Names what may be the reason if no line at all matched.
void tell_why_nothing(const InputNotes& notes, std::optional<DigestCase> digests) {
  if (notes.all_end_in_cr) {
    warn("query", "nothing matched; the keys of the filter may have no CR at their end (--crlf)");
  }
  if (digests) {
    warn("query", digest_hint(*digests));
  }
}

Result<int> query(Options& options) {
  BLOOMERY_RETURN_IF_ERROR(options.keys.parse());
  std::uint64_t most = ~std::uint64_t{0};
  if (!options.max_count.empty()) {
    BLOOMERY_ASSIGN_OR_RETURN(most, parse_count("-m", options.max_count));
  }
  BLOOMERY_RETURN_IF_ERROR(check_one_standard_input("--allow", options.allowed_files, options.files));
  if (!options.quiet && !options.count_only) {
    BLOOMERY_RETURN_IF_ERROR(check_output_is_no_input("-", or_standard_input(options.files)));
  }
  BLOOMERY_ASSIGN_OR_RETURN(AnyOf filters, AnyOf::open(options));
  InputFiles input(options.files, options.keys.input_shape());
  Printer printer(options, most);
  Counts counts;
  std::optional<DigestCase> digests;
  std::vector<std::uint64_t> answers;
  if (most > 0) {
    BLOOMERY_RETURN_IF_ERROR(for_each_line_batch("query", input, [&](LineBatch& batch) -> Result<bool> {
      if (const Status asked = filters.answer(batch, input.first_line(), answers); !asked) {
        return asked.error().in_file(input.current_name());
      }
      BLOOMERY_RETURN_IF_ERROR(filters.file_status());
      if (counts.keys == 0 && filters.are_plain_text()) {
        digests = digest_case(batch, options.keys.place());
      }
      counts.keys += batch.lines.size();
      for (const std::uint64_t word : answers) {
        counts.maybe += static_cast<std::uint64_t>(std::popcount(word));
      }
      return printer.print(batch, answers, counts);
    }));
  }
  if (options.count_only && !options.quiet) {
    BLOOMERY_RETURN_IF_ERROR(printer.print_count(counts.selected));
  }
  BLOOMERY_RETURN_IF_ERROR(printer.flush());
  if (!options.no_summary && !options.quiet) {
    summarize(filters, counts);
    if (counts.maybe == 0 && counts.keys != 0) {
      tell_why_nothing(input.notes(), digests);
    }
  }
  if (!options.quiet) {
    tell_of_keys("query", filters.tally(), options.keys.place(), telling(options.no_summary));
  }
  BLOOMERY_RETURN_IF_ERROR(filters.status());
  return static_cast<int>(counts.selected > 0 ? kDone : kNothing);
}

}  // namespace

void add_query_verb(CLI::App& app, int& exit_status) {
  CLI::App* const verb = app.add_subcommand("query", kDescription);
  const auto options = std::make_shared<Options>();
  verb->add_option("FILTER", options->filter, "the filter to ask, or a LevelDB or RocksDB database directory")
      ->required();
  verb->add_option("-f,--filter", options->more_filters,
                   "one more filter, may be given again; a key in any of them is in")
      ->type_name("FILE")
      ->allow_extra_args(false);
  verb->add_option("--allow", options->allowed_files,
                   "one file of keys that are known not to be in: answered no, exactly; may be given again")
      ->type_name("FILE")
      ->allow_extra_args(false);
  verb->add_flag("-v,--invert-match", options->invert, "print the lines whose key is certainly absent");
  verb->add_flag("-c,--count", options->count_only, "print only how many lines it would be");
  verb->add_flag("-q,--quiet", options->quiet, "print nothing, stop at the first such line");
  verb->add_option("-m,--max-count", options->max_count, "stop after so many lines");
  verb->add_flag("--only-key", options->only_key, "print of each line only its key, as text");
  verb->add_flag("--line-buffered", options->line_buffered, "write lines as soon as they are known");
  verb->add_flag("--no-verify", options->no_verify,
                 "trust the filter's bits: do not check their checksum first");
  verb->add_flag("--no-summary", options->no_summary, "no closing line on stderr");
  options->dialect.add_to(*verb);
  options->dialect.add_memory_to(*verb);
  options->keys.add_to(*verb);
  verb->add_option("FILE", options->files,
                   "lines; none or - is standard input; gzip, zstd, xz and bzip2 are read too");
  verb->callback([options, &exit_status] {
    const Result<int> status = query(*options);
    exit_status = status ? *status : report("query", status.error());
  });
}

}  // namespace bloomery::cli
