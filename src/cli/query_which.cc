#include "cli/query_which.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <unistd.h>

#include "cli/exit_status.h"
#include "cli/key_input.h"
#include "cli/key_options.h"
#include "cli/numbers.h"
#include "cli/open_key_filter.h"
#include "cli/output.h"
#include "keys/key_text.h"
#include "query/batch_keys.h"

namespace bloomery::cli {
namespace {

class Which {
 public:
  explicit Which(const QueryOptions& options)
      : options_(options), keys_(options.keys.place()), output_(STDOUT_FILENO) {
    if (options.only_key) {
      key_texts_.emplace(options.keys.place());
    }
  }

  Status open() {
    for (const std::string& name : options_.filter_names()) {
      BLOOMERY_ASSIGN_OR_RETURN(
          std::unique_ptr<KeyFilter> filter,
          open_key_filter("query", name, options_.dialect, options_.keys, options_.access_to(name), keys_));
      Asked asked{.name = name, .filter = std::move(filter), .words = {}};
      asked.words.resize(asked.filter->part_count());
      filters_.push_back(std::move(asked));
    }
    return {};
  }

  Status ask_all() {
    if (!options_.given_keys.empty()) {
      LineBatch batch;
      BLOOMERY_RETURN_IF_ERROR(fill_with_lines(options_.given_keys, options_.keys.line_delimiter(), batch));
      BLOOMERY_RETURN_IF_ERROR(in_file(ask(batch, 1), "-e"));
    }
    const std::vector<std::string> inputs = options_.inputs();
    if (!inputs.empty()) {
      InputFiles input(inputs, options_.keys.input_shape());
      BLOOMERY_RETURN_IF_ERROR(for_each_line_batch("query", input, [&](LineBatch& batch) -> Result<bool> {
        BLOOMERY_RETURN_IF_ERROR(in_file(ask(batch, input.first_line()), input.current_name()));
        return true;
      }));
    }
    return flush();
  }

  Status flush() { return output_.flush(); }

  // Returns an error if a query found damage in a filter.
  Status status() const {
    for (const Asked& asked : filters_) {
      BLOOMERY_RETURN_IF_ERROR(in_file(asked.filter->status(), asked.name));
    }
    return {};
  }

  // Prints how many keys and files were queried, and how many keys matched only in parts without a filter.
  void summarize() const {
    std::string forced = forced_ == 0 ? "" : fmt::format(" ({} of them forced)", show_count(forced_));
    warn("query", fmt::format("{} asked of {}, {} may be in{}, {} are not", show_count_of(asked_, "key"),
                              show_count_of(filters_.size(), "file"), show_count(held_), forced,
                              show_count(asked_ - held_)));
  }

  bool printed_any() const { return held_ > 0; }
  KeyTally tally() const { return keys_.tally(); }

 private:
  struct Asked {
    std::string name;
    std::unique_ptr<KeyFilter> filter;
    std::vector<std::uint64_t> words;  // one word of answers per part
  };

  Status ask(LineBatch& batch, std::uint64_t first_line) {
    BLOOMERY_ASSIGN_OR_RETURN(const std::optional<Error> bad,
                              keys_.ask_up_to_bad_line(batch, [&] { return ask_batch(batch, first_line); }));
    return bad ? Status(*bad) : Status();
  }

  // The keys of the entire batch are made before its first line is printed.
  Status ask_batch(LineBatch& batch, std::uint64_t first_line) {
    BLOOMERY_RETURN_IF_ERROR(keys_.begin(batch, first_line));
    if (key_texts_ && batch.header) {
      BLOOMERY_RETURN_IF_ERROR(key_texts_->begin_file(*batch.header));
    }
    for (std::size_t first = 0; first < batch.lines.size(); first += 64) {
      for (Asked& asked : filters_) {
        BLOOMERY_RETURN_IF_ERROR(asked.filter->ask_parts(keys_, first, asked.words));
        BLOOMERY_RETURN_IF_ERROR(in_file(asked.filter->file_status(), asked.name));
      }
      for (std::size_t i = first; i < std::min(first + 64, batch.lines.size()); ++i) {
        BLOOMERY_RETURN_IF_ERROR(print(batch.lines[i], i - first));
      }
    }
    return options_.line_buffered ? output_.flush() : Status();
  }

  Status print(std::string_view line, std::size_t bit) {
    std::string_view shown = line;
    if (key_texts_) {
      BLOOMERY_ASSIGN_OR_RETURN(shown, key_texts_->of(line));
    }
    bool held = false;
    bool by_filter = false;
    for (const Asked& asked : filters_) {
      for (std::size_t part = 0; part < asked.words.size(); ++part) {
        if ((asked.words[part] >> bit & 1) == 0) {
          continue;
        }
        const bool has_filter = asked.filter->part_has_filter(part);
        held = true;
        by_filter = by_filter || has_filter;
        BLOOMERY_RETURN_IF_ERROR(
            output_.write(fmt::format("{}\t{}\t{}\t", asked.name, part, has_filter ? "maybe" : "forced")));
        BLOOMERY_RETURN_IF_ERROR(output_.write(shown));
        BLOOMERY_RETURN_IF_ERROR(output_.write(std::string(1, options_.keys.line_delimiter())));
      }
    }
    ++asked_;
    held_ += held ? 1U : 0U;
    forced_ += held && !by_filter ? 1U : 0U;
    return {};
  }

  const QueryOptions& options_;
  BatchKeys keys_;
  std::vector<Asked> filters_;
  std::optional<KeyText> key_texts_;  // set with --only-key
  Output output_;
  std::uint64_t asked_ = 0;
  std::uint64_t held_ = 0;    // keys that some part may hold
  std::uint64_t forced_ = 0;  // among them: keys that only parts without a filter may hold
};

}  // namespace

Result<int> query_which(const QueryOptions& options) {
  Which which(options);
  BLOOMERY_RETURN_IF_ERROR(which.open());
  if (const Status asked = which.ask_all(); !asked) {
    (void)which.flush();  // writes earlier answers; of two errors the first one is reported
    return asked.error();
  }
  if (options.summary.wanted()) {
    which.summarize();
  }
  tell_of_keys("query", which.tally(), options.keys.place(), telling(options.summary.declined()));
  BLOOMERY_RETURN_IF_ERROR(which.status());
  return static_cast<int>(which.printed_any() ? kDone : kNothing);
}

}  // namespace bloomery::cli
