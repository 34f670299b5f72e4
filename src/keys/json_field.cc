#include "keys/json_field.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#define SIMDJSON_EXCEPTIONS 0
#include <simdjson.h>

namespace bloomery {
namespace {

namespace ondemand = simdjson::ondemand;
using simdjson::error_code;

// Deeper documents are refused, to bound the recursion.
constexpr std::size_t kMostLevels = 1000;
constexpr std::size_t kLeastCapacity = std::size_t{64} << 10;

// One walk through an entire document. It picks up the value at the path on the way.
class Walk {
 public:
  explicit Walk(const JsonPath& path) : path_(path) {}

  std::optional<std::string_view> found() const { return found_; }

  // Precondition: the value is an object. `level` steps of the path led to it if it `is_on_path`.
  template <typename Value>
  error_code visit_object(Value& value, std::size_t level, bool is_on_path) {
    ondemand::object object;
    if (const error_code error = value.get_object().get(object)) {
      return error;
    }
    for (auto each : object) {
      ondemand::field field;
      if (const error_code error = std::move(each).get(field)) {
        return error;
      }
      bool leads = false;
      if (is_on_path && is_next_step(level)) {
        std::string_view name;
        if (const error_code error = field.unescaped_key().get(name)) {
          return error;
        }
        leads = name == path_[level];
      }
      if (const error_code error = visit(field.value(), level + 1, leads)) {
        return error;
      }
    }
    return simdjson::SUCCESS;
  }

  // Visits an array like visit_object(); a step of the path is then an index.
  template <typename Value>
  error_code visit_array(Value& value, std::size_t level, bool is_on_path) {
    ondemand::array array;
    if (const error_code error = value.get_array().get(array)) {
      return error;
    }
    std::size_t index = 0;
    for (auto each : array) {
      ondemand::value element;
      // get() accepts only an rvalue.
      if (const error_code error = std::move(each).get(element)) {  // NOLINT(performance-move-const-arg)
        return error;
      }
      const bool leads = is_on_path && is_next_step(level) && path_[level] == std::to_string(index);
      if (const error_code error = visit(element, level + 1, leads)) {
        return error;
      }
      ++index;
    }
    return simdjson::SUCCESS;
  }

 private:
  // Returns true if step `level` of the path is the next one to find. The first member with a name counts:
  // a later one finds `steps_found_` above `level`.
  bool is_next_step(std::size_t level) const { return level < path_.size() && steps_found_ == level; }

  error_code visit(ondemand::value& value, std::size_t level, bool is_on_path) {
    steps_found_ = is_on_path ? level : steps_found_;
    ondemand::json_type type{};
    if (const error_code error = value.type().get(type)) {
      return error;
    }
    if (type == ondemand::json_type::object || type == ondemand::json_type::array) {
      if (level == kMostLevels) {
        return simdjson::DEPTH_ERROR;
      }
      return type == ondemand::json_type::object ? visit_object(value, level, is_on_path)
                                                 : visit_array(value, level, is_on_path);
    }
    return visit_scalar(value, type, is_on_path && level == path_.size());
  }

  error_code visit_scalar(ondemand::value& value, ondemand::json_type type, bool is_wanted) {
    if (type == ondemand::json_type::string) {
      return visit_string(value, is_wanted);
    }
    if (type == ondemand::json_type::number) {
      const std::string_view token = value.raw_json_token();
      const std::string_view number = token.substr(0, token.find_last_not_of(" \t\r\n") + 1);
      if (number.find_first_not_of("0123456789+-.eE") != std::string_view::npos) {
        return simdjson::NUMBER_ERROR;
      }
      found_ = is_wanted ? number : found_;
      return simdjson::SUCCESS;
    }
    bool is_true = false;
    if (type == ondemand::json_type::null) {
      return value.is_null().get(is_true);
    }
    const error_code error = value.get_bool().get(is_true);
    if (is_wanted) {
      found_ = is_true ? "true" : "false";
    }
    return error;
  }

  error_code visit_string(ondemand::value& value, bool is_wanted) {
    if (!is_wanted) {
      ondemand::raw_json_string passed;
      return value.get_raw_json_string().get(passed);
    }
    std::string_view text;
    const error_code error = value.get_string().get(text);
    found_ = text;
    return error;
  }

  const JsonPath& path_;
  std::size_t steps_found_ = 0;
  std::optional<std::string_view> found_;
};

error_code walk_document(ondemand::document& document, Walk& walk) {
  ondemand::json_type type{};
  if (const error_code error = document.type().get(type)) {
    return error;
  }
  const bool is_object = type == ondemand::json_type::object;
  if (!is_object && type != ondemand::json_type::array) {
    return simdjson::INCORRECT_TYPE;
  }
  if (const error_code error =
          is_object ? walk.visit_object(document, 0, true) : walk.visit_array(document, 0, true)) {
    return error;
  }
  const char* behind = nullptr;
  const error_code at_end = document.current_location().get(behind);
  return at_end == simdjson::OUT_OF_BOUNDS ? simdjson::SUCCESS : simdjson::TRAILING_CONTENT;
}

}  // namespace

struct JsonField::Parser {
  explicit Parser(JsonPath wanted) : path(std::move(wanted)) {}

  JsonPath path;
  ondemand::parser parser;
  std::vector<char> padded;  // the line, followed by the padding that the parser may read

  // Copies the line into a padded buffer. Errors: simdjson's codes.
  error_code load(std::string_view line) {
    const std::size_t needed = line.size() + simdjson::SIMDJSON_PADDING;
    if (padded.size() < needed) {
      padded.resize(std::max(needed, 2 * padded.size()));
    }
    std::copy(line.begin(), line.end(), padded.begin());
    std::fill_n(padded.begin() + static_cast<std::ptrdiff_t>(line.size()), simdjson::SIMDJSON_PADDING, ' ');
    return parser.capacity() < line.size() ? parser.allocate(std::max(kLeastCapacity, 2 * line.size()))
                                           : simdjson::SUCCESS;
  }
};

JsonField::JsonField(JsonPath path) : parser_(std::make_unique<Parser>(std::move(path))) {}
JsonField::JsonField(JsonField&&) noexcept = default;
JsonField& JsonField::operator=(JsonField&&) noexcept = default;
JsonField::~JsonField() = default;

Result<std::optional<std::string_view>> JsonField::find(std::string_view line) {
  Walk walk(parser_->path);
  ondemand::document document;
  error_code error = parser_->load(line);
  if (!error) {
    error =
        parser_->parser.iterate(parser_->padded.data(), line.size(), parser_->padded.size()).get(document);
  }
  if (!error) {
    error = walk_document(document, walk);
  }
  if (error) {
    return Error::invalid_argument(
        "JSON", std::string("expected one object or array, found: ") + simdjson::error_message(error));
  }
  return walk.found();
}

}  // namespace bloomery
