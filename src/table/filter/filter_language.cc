#include "bloomery/table/filter_language.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/byte_text.h"
#include "base/message.h"
#include "hash/ascii_text.h"

namespace bloomery {
namespace {

constexpr const char* kFilterSubject = "filter";
constexpr std::size_t kMostNesting = 200;  // brackets and wrappers; deeper nesting could exhaust the stack

struct Argument {
  bool is_quoted = false;
  std::string text = {};
  std::size_t place = 0;
};

// The arguments of one filter, consumed one by one.
class Arguments {
 public:
  Arguments(std::string name, std::size_t place, std::vector<Argument> arguments)
      : name_(std::move(name)), place_(place), arguments_(std::move(arguments)) {}

  const std::string& name() const { return name_; }
  std::size_t size() const { return arguments_.size(); }
  bool at_end() const { return next_ == arguments_.size(); }
  Error wrong(const std::string& expected, const std::string& found) const {
    const std::size_t place = at_end() ? place_ : arguments_[next_].place;
    return Error::invalid_argument(
        kFilterSubject, message("at byte ", place, ": ", name_, ": expected ", expected, ", found ", found));
  }
  Status check_count(std::size_t least, std::size_t most) const {
    if (size() >= least && size() <= most) {
      return {};
    }
    const std::string expected = least == most  ? message(least)
                                 : most == kAny ? message(least, " or more")
                                                : message(least, " to ", most);
    return Error::invalid_argument(kFilterSubject, message("at byte ", place_, ": ", name_, ": expected ",
                                                           expected, " arguments, found ", size()));
  }
  static constexpr std::size_t kAny = std::numeric_limits<std::size_t>::max();

  Result<std::string> bytes() {
    BLOOMERY_ASSIGN_OR_RETURN(const Argument* const argument, peek("bytes in quotes"));
    if (!argument->is_quoted) {
      return wrong("bytes in quotes", escape_bytes(argument->text));
    }
    ++next_;
    return argument->text;
  }
  Result<std::int64_t> number(std::int64_t most) {
    BLOOMERY_ASSIGN_OR_RETURN(const Argument* const argument, peek("a whole number"));
    const auto value = number_from_text<std::int64_t>(argument->text);
    if (argument->is_quoted || !value || *value < 0 || *value > most) {
      return wrong(message("a whole number up to ", most), escape_bytes(argument->text));
    }
    ++next_;
    return *value;
  }
  Result<bool> boolean() {
    BLOOMERY_ASSIGN_OR_RETURN(const Argument* const argument, peek("true or false"));
    std::string text = argument->text;
    std::ranges::transform(text, text.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    if (argument->is_quoted || (text != "true" && text != "false")) {
      return wrong("true or false", escape_bytes(argument->text));
    }
    ++next_;
    return text == "true";
  }
  Result<CompareOperator> op();
  Result<Comparator> comparator(CompareOperator op);
  // Consumes the next argument if it is the word null, and then returns true.
  bool take_null() {
    const bool is_null = !at_end() && !arguments_[next_].is_quoted && arguments_[next_].text == "null";
    next_ += is_null ? 1 : 0;
    return is_null;
  }

 private:
  Result<const Argument*> peek(const char* expected) const {
    if (at_end()) {
      return wrong(expected, "no more arguments");
    }
    return &arguments_[next_];
  }

  std::string name_;
  std::size_t place_;
  std::vector<Argument> arguments_;
  std::size_t next_ = 0;
};

Result<CompareOperator> Arguments::op() {
  BLOOMERY_ASSIGN_OR_RETURN(const Argument* const argument, peek("an operator"));
  for (const auto op :
       {CompareOperator::kLess, CompareOperator::kLessOrEqual, CompareOperator::kEqual,
        CompareOperator::kNotEqual, CompareOperator::kGreaterOrEqual, CompareOperator::kGreater}) {
    if (!argument->is_quoted && argument->text == compare_operator_name(op)) {
      ++next_;
      return op;
    }
  }
  return wrong("one of < <= = != >= >", escape_bytes(argument->text));
}

Result<Comparator> Arguments::comparator(CompareOperator op) {
  const std::size_t place = next_;
  BLOOMERY_ASSIGN_OR_RETURN(const std::string text, bytes());
  const std::size_t colon = text.find(':');
  const std::string_view type = std::string_view(text).substr(0, colon);
  const std::string value = colon == std::string::npos ? std::string() : text.substr(colon + 1);
  const bool is_equality_only = type == "substring" || type == "regexstring";
  next_ = place;  // so that wrong() reports this argument's position
  if (is_equality_only && op != CompareOperator::kEqual && op != CompareOperator::kNotEqual) {
    return wrong(message("= or != with ", type), compare_operator_name(op));
  }
  if (colon == std::string::npos || (!is_equality_only && type != "binary" && type != "binaryprefix")) {
    return wrong("a comparator binary:, binaryprefix:, substring: or regexstring:", escape_bytes(text));
  }
  ++next_;
  if (type == "substring") {
    return Comparator::substring(value);
  }
  if (type == "regexstring") {
    return Comparator::regex(value);
  }
  return type == "binary" ? Comparator::binary(value) : Comparator::binary_prefix(value);
}

constexpr std::int64_t kMostInt = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kMostLong = std::numeric_limits<std::int64_t>::max();

template <Filter (*make)(CompareOperator, Comparator)>
Result<Filter> make_compare(Arguments& arguments) {
  BLOOMERY_RETURN_IF_ERROR(arguments.check_count(2, 2));
  BLOOMERY_ASSIGN_OR_RETURN(const CompareOperator op, arguments.op());
  BLOOMERY_ASSIGN_OR_RETURN(Comparator comparator, arguments.comparator(op));
  return make(op, std::move(comparator));
}

template <Filter (*make)(std::string)>
Result<Filter> make_of_bytes(Arguments& arguments) {
  BLOOMERY_RETURN_IF_ERROR(arguments.check_count(1, 1));
  BLOOMERY_ASSIGN_OR_RETURN(std::string bytes, arguments.bytes());
  return make(std::move(bytes));
}

Result<Filter> make_key_only(Arguments& arguments) {
  BLOOMERY_RETURN_IF_ERROR(arguments.check_count(0, 1));
  if (arguments.at_end()) {
    return Filter::key_only();
  }
  BLOOMERY_ASSIGN_OR_RETURN(const bool length_as_value, arguments.boolean());
  return Filter::key_only(length_as_value);
}

Result<Filter> make_first_key_only(Arguments& arguments) {
  BLOOMERY_RETURN_IF_ERROR(arguments.check_count(0, 0));
  return Filter::first_key_only();
}

Result<Filter> make_multiple_column_prefix(Arguments& arguments) {
  std::vector<std::string> prefixes;
  while (!arguments.at_end()) {
    BLOOMERY_ASSIGN_OR_RETURN(std::string prefix, arguments.bytes());
    prefixes.push_back(std::move(prefix));
  }
  return Filter::multiple_column_prefix(std::move(prefixes));
}

Result<Filter> make_column_count_get(Arguments& arguments) {
  BLOOMERY_RETURN_IF_ERROR(arguments.check_count(1, 1));
  BLOOMERY_ASSIGN_OR_RETURN(const std::int64_t limit, arguments.number(kMostInt));
  return Filter::column_count_get(static_cast<std::uint32_t>(limit));
}

Result<Filter> make_page(Arguments& arguments) {
  BLOOMERY_RETURN_IF_ERROR(arguments.check_count(1, 1));
  BLOOMERY_ASSIGN_OR_RETURN(const std::int64_t rows, arguments.number(kMostLong));
  return Filter::page(static_cast<std::uint64_t>(rows));
}

Result<Filter> make_column_pagination(Arguments& arguments) {
  BLOOMERY_RETURN_IF_ERROR(arguments.check_count(2, 2));
  BLOOMERY_ASSIGN_OR_RETURN(const std::int64_t limit, arguments.number(kMostInt));
  BLOOMERY_ASSIGN_OR_RETURN(const std::int64_t offset, arguments.number(kMostInt));
  return Filter::column_pagination(static_cast<std::uint32_t>(limit), static_cast<std::uint32_t>(offset));
}

Result<Filter> make_timestamps(Arguments& arguments) {
  std::vector<std::int64_t> times;
  while (!arguments.at_end()) {
    BLOOMERY_ASSIGN_OR_RETURN(const std::int64_t time, arguments.number(kMostLong));
    times.push_back(time);
  }
  return Filter::timestamps(std::move(times));
}

Result<Filter> make_column_range(Arguments& arguments) {
  BLOOMERY_RETURN_IF_ERROR(arguments.check_count(4, 4));
  QualifierRange range;
  if (!arguments.take_null()) {
    BLOOMERY_ASSIGN_OR_RETURN(range.from, arguments.bytes());
  }
  BLOOMERY_ASSIGN_OR_RETURN(range.includes_from, arguments.boolean());
  if (!arguments.take_null()) {
    BLOOMERY_ASSIGN_OR_RETURN(range.to, arguments.bytes());
  }
  BLOOMERY_ASSIGN_OR_RETURN(range.includes_to, arguments.boolean());
  return Filter::column_range(std::move(range));
}

template <Filter (*make)(ColumnCondition)>
Result<Filter> make_single_column_value(Arguments& arguments) {
  if (arguments.size() != 4) {
    BLOOMERY_RETURN_IF_ERROR(arguments.check_count(6, 6));
  }
  BLOOMERY_ASSIGN_OR_RETURN(std::string family, arguments.bytes());
  BLOOMERY_ASSIGN_OR_RETURN(std::string qualifier, arguments.bytes());
  BLOOMERY_ASSIGN_OR_RETURN(const CompareOperator op, arguments.op());
  BLOOMERY_ASSIGN_OR_RETURN(Comparator comparator, arguments.comparator(op));
  ColumnCondition condition{std::move(family), std::move(qualifier), op, std::move(comparator)};
  if (!arguments.at_end()) {
    BLOOMERY_ASSIGN_OR_RETURN(condition.is_missing_filtered, arguments.boolean());
    BLOOMERY_ASSIGN_OR_RETURN(condition.is_latest_version_only, arguments.boolean());
  }
  return make(std::move(condition));
}

Result<Filter> make_dependent_column(Arguments& arguments) {
  if (arguments.size() != 2 && arguments.size() != 3) {
    BLOOMERY_RETURN_IF_ERROR(arguments.check_count(5, 5));
  }
  BLOOMERY_ASSIGN_OR_RETURN(std::string family, arguments.bytes());
  BLOOMERY_ASSIGN_OR_RETURN(std::string qualifier, arguments.bytes());
  bool drops_column = false;
  if (!arguments.at_end()) {
    BLOOMERY_ASSIGN_OR_RETURN(drops_column, arguments.boolean());
  }
  if (arguments.at_end()) {
    return Filter::dependent_column(std::move(family), std::move(qualifier), drops_column);
  }
  BLOOMERY_ASSIGN_OR_RETURN(const CompareOperator op, arguments.op());
  BLOOMERY_ASSIGN_OR_RETURN(Comparator comparator, arguments.comparator(op));
  return Filter::dependent_column(std::move(family), std::move(qualifier), drops_column, op,
                                  std::move(comparator));
}

Result<Filter> make_column_value(Arguments& arguments) {
  BLOOMERY_RETURN_IF_ERROR(arguments.check_count(4, 4));
  BLOOMERY_ASSIGN_OR_RETURN(std::string family, arguments.bytes());
  BLOOMERY_ASSIGN_OR_RETURN(std::string qualifier, arguments.bytes());
  BLOOMERY_ASSIGN_OR_RETURN(const CompareOperator op, arguments.op());
  BLOOMERY_ASSIGN_OR_RETURN(Comparator comparator, arguments.comparator(op));
  return Filter::column_value(std::move(family), std::move(qualifier), op, std::move(comparator));
}

Result<Filter> make_fuzzy_row(Arguments& arguments) {
  std::vector<FuzzyKey> keys;
  while (!arguments.at_end()) {
    FuzzyKey& key = keys.emplace_back();
    BLOOMERY_ASSIGN_OR_RETURN(key.key, arguments.bytes());
    BLOOMERY_ASSIGN_OR_RETURN(key.mask, arguments.bytes());
    std::ranges::transform(key.mask, key.mask.begin(),
                           [](char c) { return c == '0' || c == '1' ? static_cast<char>(c - '0') : c; });
  }
  return Filter::fuzzy_row(std::move(keys));
}

Result<Filter> make_multi_row_range(Arguments& arguments) {
  std::vector<RowRange> ranges;
  while (!arguments.at_end()) {
    RowRange& range = ranges.emplace_back();
    BLOOMERY_ASSIGN_OR_RETURN(range.start, arguments.bytes());
    BLOOMERY_ASSIGN_OR_RETURN(range.includes_start, arguments.boolean());
    BLOOMERY_ASSIGN_OR_RETURN(range.stop, arguments.bytes());
    BLOOMERY_ASSIGN_OR_RETURN(range.includes_stop, arguments.boolean());
  }
  return Filter::multi_row_range(std::move(ranges));
}

struct NamedFilter {
  std::string_view name;
  Result<Filter> (*make)(Arguments&);
};

constexpr NamedFilter kFilters[] = {
    {"KeyOnlyFilter", make_key_only},
    {"FirstKeyOnlyFilter", make_first_key_only},
    {"PrefixFilter", make_of_bytes<Filter::prefix>},
    {"ColumnPrefixFilter", make_of_bytes<Filter::column_prefix>},
    {"MultipleColumnPrefixFilter", make_multiple_column_prefix},
    {"ColumnCountGetFilter", make_column_count_get},
    {"PageFilter", make_page},
    {"ColumnPaginationFilter", make_column_pagination},
    {"InclusiveStopFilter", make_of_bytes<Filter::inclusive_stop>},
    {"TimestampsFilter", make_timestamps},
    {"RowFilter", make_compare<Filter::row>},
    {"FamilyFilter", make_compare<Filter::family>},
    {"QualifierFilter", make_compare<Filter::qualifier>},
    {"ValueFilter", make_compare<Filter::value>},
    {"ColumnRangeFilter", make_column_range},
    {"SingleColumnValueFilter", make_single_column_value<Filter::single_column_value>},
    {"SingleColumnValueExcludeFilter", make_single_column_value<Filter::single_column_value_exclude>},
    {"DependentColumnFilter", make_dependent_column},
    {"ColumnValueFilter", make_column_value},
    // Not in HBase's language.
    {"FuzzyRowFilter", make_fuzzy_row},
    {"MultiRowRangeFilter", make_multi_row_range},
};

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<Filter> run() {
    BLOOMERY_ASSIGN_OR_RETURN(Filter filter, read_or());
    skip_spaces();
    if (at_ != text_.size()) {
      return wrong("AND, OR or the end");
    }
    return filter;
  }

 private:
  Error wrong(const std::string& expected) const {
    const std::string found =
        at_ == text_.size() ? "the end" : message("'", escape_bytes(text_.substr(at_, 20)), "'");
    return Error::invalid_argument(kFilterSubject,
                                   message("at byte ", at_, ": expected ", expected, ", found ", found));
  }
  static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
  static bool is_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
  void skip_spaces() {
    while (at_ < text_.size() && is_space(text_[at_])) {
      ++at_;
    }
  }
  bool take(char c) {
    skip_spaces();
    const bool is_next = at_ < text_.size() && text_[at_] == c;
    at_ += is_next ? 1 : 0;
    return is_next;
  }
  bool take_word(std::string_view word) {
    skip_spaces();
    if (!text_.substr(at_).starts_with(word)) {
      return false;
    }
    const std::size_t end = at_ + word.size();
    if (end < text_.size() && is_name(text_[end])) {
      return false;
    }
    at_ = end;
    return true;
  }
  Result<Filter> read_list(const char* word, Result<Filter> (Parser::*read)(),
                           Filter (*make)(std::vector<Filter>));
  Result<Filter> read_or() { return read_list("OR", &Parser::read_and, Filter::one); }
  Result<Filter> read_and() { return read_list("AND", &Parser::read_one, Filter::all); }
  Result<Filter> read_one();
  Result<Filter> read_nested(Result<Filter> (Parser::*read)());
  Result<Filter> read_simple();
  Result<Argument> read_argument();

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t nesting_ = 0;
};

Result<Filter> Parser::read_list(const char* word, Result<Filter> (Parser::*read)(),
                                 Filter (*make)(std::vector<Filter>)) {
  std::vector<Filter> members;
  do {
    BLOOMERY_ASSIGN_OR_RETURN(Filter member, (this->*read)());
    members.push_back(std::move(member));
  } while (take_word(word));
  return members.size() == 1 ? members.front() : make(std::move(members));
}

Result<Filter> Parser::read_nested(Result<Filter> (Parser::*read)()) {
  if (nesting_ == kMostNesting) {
    return wrong(message("at most ", kMostNesting, " filters inside each other"));
  }
  ++nesting_;
  auto filter = (this->*read)();
  --nesting_;
  return filter;
}

Result<Filter> Parser::read_one() {
  if (take_word("SKIP")) {
    BLOOMERY_ASSIGN_OR_RETURN(Filter filter, read_nested(&Parser::read_one));
    return Filter::skip(std::move(filter));
  }
  if (take_word("WHILE")) {
    BLOOMERY_ASSIGN_OR_RETURN(Filter filter, read_nested(&Parser::read_one));
    return Filter::while_match(std::move(filter));
  }
  if (take('(')) {
    BLOOMERY_ASSIGN_OR_RETURN(Filter filter, read_nested(&Parser::read_or));
    if (!take(')')) {
      return wrong(")");
    }
    return filter;
  }
  return read_simple();
}

Result<Argument> Parser::read_argument() {
  Argument argument{.place = at_};
  if (text_[at_] == '\'') {
    argument.is_quoted = true;
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] != '\'') {
        argument.text += text_[at_];
      } else if (at_ + 1 < text_.size() && text_[at_ + 1] == '\'') {
        argument.text += text_[at_++];
      } else {
        ++at_;
        return argument;
      }
    }
    return wrong("a quote behind the bytes");
  }
  while (at_ < text_.size() && !is_space(text_[at_]) && text_[at_] != ',' && text_[at_] != ')' &&
         text_[at_] != '\'') {
    argument.text += text_[at_++];
  }
  return argument;
}

Result<Filter> Parser::read_simple() {
  skip_spaces();
  const std::size_t place = at_;
  while (at_ < text_.size() && is_name(text_[at_])) {
    ++at_;
  }
  const std::string name(text_.substr(place, at_ - place));
  const auto found = std::ranges::find(kFilters, std::string_view(name), &NamedFilter::name);
  if (found == std::end(kFilters)) {
    at_ = place;
    return wrong("the name of a filter, such as PrefixFilter");
  }
  if (!take('(')) {
    return wrong("(");
  }
  std::vector<Argument> arguments;
  while (!take(')')) {
    if (at_ == text_.size()) {
      return wrong(")");
    }
    if (take(',')) {
      continue;
    }
    BLOOMERY_ASSIGN_OR_RETURN(Argument argument, read_argument());
    arguments.push_back(std::move(argument));
  }
  Arguments read(name, place, std::move(arguments));
  return found->make(read);
}

}  // namespace

Result<Filter> parse_filter(std::string_view text) {
  return Parser(text).run();
}

}  // namespace bloomery
