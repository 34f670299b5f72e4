#include "tests/hbase_tables/question.h"

#include <charconv>
#include <functional>
#include <map>
#include <sstream>
#include <utility>

#include "base/byte_text.h"
#include "base/message.h"
#include "bloomery/table/filter_language.h"

namespace bloomery::tables {
namespace {

Error wrong(const std::string& expected, std::string_view found) {
  return Error::invalid_argument("question", message("expected ", expected, ", found '", found, "'"));
}

// A list in brackets, or a word.
struct Term {
  std::string word = {};
  bool is_list = false;
  std::vector<Term> members = {};
};

class TermReader {
 public:
  explicit TermReader(std::string_view text) : text_(text) {}

  Result<Term> read() {
    while (at_ < text_.size() && text_[at_] == ' ') {
      ++at_;
    }
    Term term;
    if (at_ == text_.size()) {
      return wrong("a term", "the end");
    }
    if (text_[at_] != '(') {
      const std::size_t end = std::min(text_.find_first_of(" ()", at_), text_.size());
      term.word = text_.substr(at_, end - at_);
      at_ = end;
      return term;
    }
    term.is_list = true;
    ++at_;
    for (;;) {
      while (at_ < text_.size() && text_[at_] == ' ') {
        ++at_;
      }
      if (at_ < text_.size() && text_[at_] == ')') {
        ++at_;
        return term;
      }
      BLOOMERY_ASSIGN_OR_RETURN(Term member, read());
      term.members.push_back(std::move(member));
    }
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

// The arguments of a filter, by number.
class Terms {
 public:
  explicit Terms(const Term& term) : members_(term.members) {}

  std::size_t size() const { return members_.size(); }
  const Term& at(std::size_t i) const {
    static const Term kNone;
    return i < members_.size() ? members_[i] : kNone;
  }
  std::string bytes(std::size_t i) const { return unescape_bytes(std::string_view(at(i).word).substr(1)); }
  std::optional<std::string> side(std::size_t i) const {
    return at(i).word == "null" ? std::nullopt : std::optional(bytes(i));
  }
  bool boolean(std::size_t i) const { return at(i).word == "true"; }
  std::int64_t number(std::size_t i) const { return std::stoll(at(i).word); }
  CompareOperator op(std::size_t i) const {
    static const std::map<std::string, CompareOperator> kNames = {
        {"EQUAL", CompareOperator::kEqual},     {"NOT_EQUAL", CompareOperator::kNotEqual},
        {"LESS", CompareOperator::kLess},       {"LESS_OR_EQUAL", CompareOperator::kLessOrEqual},
        {"GREATER", CompareOperator::kGreater}, {"GREATER_OR_EQUAL", CompareOperator::kGreaterOrEqual}};
    return kNames.at(at(i).word);
  }
  Comparator comparator(std::size_t i) const {
    const Terms parts(at(i));
    const std::string& type = parts.at(0).word;
    const std::string value = parts.bytes(1);
    if (type == "substring") {
      return Comparator::substring(value).value();
    }
    if (type == "regex") {
      return Comparator::regex(value).value();
    }
    return type == "binary" ? Comparator::binary(value) : Comparator::binary_prefix(value);
  }

 private:
  const std::vector<Term>& members_;
};

Result<Filter> filter_of(const Term& term);

Result<std::vector<Filter>> filters_of(const Terms& terms) {
  std::vector<Filter> filters;
  for (std::size_t i = 1; i < terms.size(); ++i) {
    BLOOMERY_ASSIGN_OR_RETURN(Filter filter, filter_of(terms.at(i)));
    filters.push_back(std::move(filter));
  }
  return filters;
}

ColumnCondition condition_of(const Terms& terms) {
  return {terms.bytes(1),      terms.bytes(2),   terms.op(3),
          terms.comparator(4), terms.boolean(5), terms.boolean(6)};
}

using Maker = std::function<Result<Filter>(const Terms&)>;

const std::map<std::string, Maker>& makers() {
  static const std::map<std::string, Maker> kMakers = {
      {"prefix", [](const Terms& t) { return Filter::prefix(t.bytes(1)); }},
      {"column-prefix", [](const Terms& t) { return Filter::column_prefix(t.bytes(1)); }},
      {"multiple-column-prefix",
       [](const Terms& t) {
         std::vector<std::string> prefixes;
         for (std::size_t i = 1; i < t.size(); ++i) {
           prefixes.push_back(t.bytes(i));
         }
         return Filter::multiple_column_prefix(std::move(prefixes));
       }},
      {"column-range",
       [](const Terms& t) {
         return Filter::column_range({t.side(1), t.boolean(2), t.side(3), t.boolean(4)});
       }},
      {"first-key-only", [](const Terms&) { return Filter::first_key_only(); }},
      {"key-only", [](const Terms& t) { return Filter::key_only(t.boolean(1)); }},
      {"single-column-value", [](const Terms& t) { return Filter::single_column_value(condition_of(t)); }},
      {"single-column-value-exclude",
       [](const Terms& t) { return Filter::single_column_value_exclude(condition_of(t)); }},
      {"page", [](const Terms& t) { return Filter::page(static_cast<std::uint64_t>(t.number(1))); }},
      {"row", [](const Terms& t) { return Filter::row(t.op(1), t.comparator(2)); }},
      {"family", [](const Terms& t) { return Filter::family(t.op(1), t.comparator(2)); }},
      {"qualifier", [](const Terms& t) { return Filter::qualifier(t.op(1), t.comparator(2)); }},
      {"value", [](const Terms& t) { return Filter::value(t.op(1), t.comparator(2)); }},
      {"fuzzy",
       [](const Terms& t) {
         std::vector<FuzzyKey> keys;
         for (std::size_t i = 1; i < t.size(); ++i) {
           const Terms pair(t.at(i));
           keys.push_back({pair.bytes(0), pair.bytes(1)});
         }
         return Filter::fuzzy_row(std::move(keys));
       }},
      {"multi-row-range",
       [](const Terms& t) {
         std::vector<RowRange> ranges;
         for (std::size_t i = 1; i < t.size(); ++i) {
           const Terms range(t.at(i));
           ranges.push_back({range.bytes(0), range.boolean(1), range.bytes(2), range.boolean(3)});
         }
         return Filter::multi_row_range(std::move(ranges));
       }},
      {"timestamps",
       [](const Terms& t) {
         std::vector<std::int64_t> times;
         for (std::size_t i = 1; i < t.size(); ++i) {
           times.push_back(t.number(i));
         }
         return Filter::timestamps(std::move(times));
       }},
      {"column-pagination",
       [](const Terms& t) {
         return Filter::column_pagination(static_cast<std::uint32_t>(t.number(1)),
                                          static_cast<std::uint32_t>(t.number(2)));
       }},
      {"column-count-get",
       [](const Terms& t) { return Filter::column_count_get(static_cast<std::uint32_t>(t.number(1))); }},
      {"dependent-column",
       [](const Terms& t) {
         const bool has_condition = t.size() > 4;
         return Filter::dependent_column(t.bytes(1), t.bytes(2), t.boolean(3),
                                         has_condition ? std::optional(t.op(4)) : std::nullopt,
                                         has_condition ? std::optional(t.comparator(5)) : std::nullopt);
       }},
      {"column-value",
       [](const Terms& t) { return Filter::column_value(t.bytes(1), t.bytes(2), t.op(3), t.comparator(4)); }},
      {"inclusive-stop", [](const Terms& t) { return Filter::inclusive_stop(t.bytes(1)); }},
      {"skip",
       [](const Terms& t) -> Result<Filter> {
         BLOOMERY_ASSIGN_OR_RETURN(Filter filter, filter_of(t.at(1)));
         return Filter::skip(std::move(filter));
       }},
      {"while",
       [](const Terms& t) -> Result<Filter> {
         BLOOMERY_ASSIGN_OR_RETURN(Filter filter, filter_of(t.at(1)));
         return Filter::while_match(std::move(filter));
       }},
      {"all",
       [](const Terms& t) -> Result<Filter> {
         BLOOMERY_ASSIGN_OR_RETURN(auto filters, filters_of(t));
         return Filter::all(std::move(filters));
       }},
      {"one",
       [](const Terms& t) -> Result<Filter> {
         BLOOMERY_ASSIGN_OR_RETURN(auto filters, filters_of(t));
         return Filter::one(std::move(filters));
       }},
  };
  return kMakers;
}

Result<Filter> filter_of(const Term& term) {
  const Terms terms(term);
  const auto maker = makers().find(terms.at(0).word);
  return maker == makers().end() ? wrong("a filter", terms.at(0).word) : maker->second(terms);
}

std::vector<std::string> split(const std::string& line, char by) {
  std::vector<std::string> words;
  std::istringstream stream(line);
  for (std::string word; std::getline(stream, word, by);) {
    words.push_back(word);
  }
  return words;
}

RequestedTimes times_of(const std::vector<std::string>& parts) {
  return {std::stoll(parts[1]), std::stoll(parts[2])};
}

// Applies a word of a question: NAME or NAME=VALUE.
Status apply(Question& question, const std::string& word) {
  ScanRequest& scan = question.scan;
  const std::size_t equals = std::min(word.find('='), word.size());
  const std::string name = word.substr(0, equals);
  const std::string value = equals == word.size() ? std::string() : word.substr(equals + 1);
  const auto number = [&] { return static_cast<std::uint32_t>(std::stoul(value)); };
  const std::map<std::string, std::function<void()>> words = {
      {"row", [&] { scan.start = scan.stop = unescape_bytes(value); }},
      {"start", [&] { scan.start = unescape_bytes(value); }},
      {"start-exclusive", [&] { scan.includes_start = false; }},
      {"stop", [&] { scan.stop = unescape_bytes(value); }},
      {"stop-inclusive", [&] { scan.includes_stop = true; }},
      {"reversed", [&] { scan.is_reversed = true; }},
      {"raw", [&] { scan.is_raw = true; }},
      {"family",
       [&] {
         scan.columns.push_back({unescape_bytes(value), {}});
       }},
      {"column",
       [&] {
         const std::size_t colon = value.find(':');
         scan.columns.push_back(
             {unescape_bytes(value.substr(0, colon)), unescape_bytes(value.substr(colon + 1))});
       }},
      {"versions", [&] { scan.versions = value == "all" ? kAllVersions : std::stoi(value); }},
      {"from", [&] { scan.times.from = std::stoll(value); }},
      {"to", [&] { scan.times.to = std::stoll(value); }},
      {"family-time",
       [&] {
         const auto parts = split(value, ':');
         scan.family_times[unescape_bytes(parts[0])] = times_of(parts);
       }},
      {"max-per-family", [&] { scan.max_per_family = number(); }},
      {"offset-per-family", [&] { scan.offset_per_family = number(); }},
      {"batch", [&] { scan.batch = number(); }},
      {"limit", [&] { scan.limit = number(); }},
  };
  if (name == "filter") {
    BLOOMERY_ASSIGN_OR_RETURN(scan.filter, parse_expression(value));
    return {};
  }
  if (name == "filter-text") {
    BLOOMERY_ASSIGN_OR_RETURN(scan.filter, parse_filter(unescape_bytes(value)));
    return {};
  }
  const auto found = words.find(name);
  if (found == words.end()) {
    return wrong("a word of a question", word);
  }
  found->second();
  return {};
}

}  // namespace

Result<Filter> parse_expression(std::string_view text) {
  BLOOMERY_ASSIGN_OR_RETURN(const Term term, TermReader(text).read());
  return filter_of(term);
}

Result<Question> parse_question(const std::string& line) {
  const std::vector<std::string> words = split(line, '\t');
  if (words.size() < 2) {
    return wrong("an id and get or scan", line);
  }
  Question question{.id = words[0], .line = line, .is_get = words[1] == "get"};
  for (std::size_t i = 2; i < words.size(); ++i) {
    BLOOMERY_RETURN_IF_ERROR(apply(question, words[i]));
  }
  return question;
}

std::vector<Answer> parse_answers(const std::string& text) {
  std::vector<Answer> answers;
  for (const std::string& line : split(text, '\n')) {
    if (line.starts_with('q')) {
      answers.push_back({line.substr(0, line.find('\t')), {}});
    }
    if (!answers.empty()) {
      answers.back().lines.push_back(line);
    }
  }
  return answers;
}

std::string answer_line(std::size_t result, const Cell& cell) {
  return message(result, "\t", escape_bytes(cell.key.row), "\t", escape_bytes(cell.key.family), "\t",
                 escape_bytes(cell.key.qualifier), "\t", cell.key.timestamp, "\t",
                 cell_type_name(cell.key.type), "\t", escape_bytes(cell.value));
}

}  // namespace bloomery::tables
