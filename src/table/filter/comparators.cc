#include <algorithm>
#include <memory>
#include <utility>

#include "base/message.h"
#include "table/filter/comparator_form.h"
#include "table/filter/java_pattern.h"

namespace bloomery {
namespace table {
namespace {

class BinaryForm : public ComparatorForm {
 public:
  explicit BinaryForm(std::string value) : value_(std::move(value)) {}
  int compare(std::string_view cell, std::optional<Error>&) const override {
    return compare_bytes(value_, cell);
  }
  std::string text() const override { return "binary:" + value_; }

 private:
  std::string value_;
};

class BinaryPrefixForm : public ComparatorForm {
 public:
  explicit BinaryPrefixForm(std::string value) : value_(std::move(value)) {}
  int compare(std::string_view cell, std::optional<Error>&) const override {
    return compare_bytes(value_, cell.substr(0, value_.size()));
  }
  std::string text() const override { return "binaryprefix:" + value_; }

 private:
  std::string value_;
};

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// Folds a text like Java's toLowerCase(), as far as the result is ASCII letters. Besides A to Z, two
// characters have such a result: U+212A becomes k, and U+0130 becomes i and a combining dot.
std::string lower_text(std::string_view text) {
  std::string folded;
  folded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i, 3) == "\xe2\x84\xaa") {
      folded += 'k';
      i += 2;
    } else if (text.substr(i, 2) == "\xc4\xb0") {
      folded += "i\xcc\x87";
      i += 1;
    } else {
      folded += lower(text[i]);
    }
  }
  return folded;
}

class SubstringForm : public ComparatorForm {
 public:
  explicit SubstringForm(std::string text) : text_(std::move(text)) {}
  int compare(std::string_view cell, std::optional<Error>&) const override {
    return lower_text(cell).find(text_) != std::string::npos ? 0 : 1;
  }
  std::string text() const override { return "substring:" + text_; }
  bool is_equality_only() const override { return true; }

 private:
  std::string text_;  // in lower case
};

class RegexForm : public ComparatorForm {
 public:
  explicit RegexForm(JavaPattern pattern) : pattern_(std::move(pattern)) {}
  int compare(std::string_view cell, std::optional<Error>& failure) const override {
    const Result<bool> found = pattern_.is_found_in(cell);
    if (!found) {
      failure = failure ? failure : found.error();
      return 1;
    }
    return *found ? 0 : 1;
  }
  std::string text() const override { return "regexstring:" + pattern_.text(); }
  bool is_equality_only() const override { return true; }

 private:
  JavaPattern pattern_;
};

}  // namespace

int compare_bytes(std::string_view a, std::string_view b) {
  const int order = a.compare(b);
  return order < 0 ? -1 : order > 0 ? 1 : 0;
}

bool satisfies(CompareOperator op, const Comparator& comparator, std::string_view cell,
               std::optional<Error>& failure) {
  const int order = comparator.form().compare(cell, failure);
  switch (op) {
    case CompareOperator::kLess:
      return order > 0;
    case CompareOperator::kLessOrEqual:
      return order >= 0;
    case CompareOperator::kEqual:
      return order == 0;
    case CompareOperator::kNotEqual:
      return order != 0;
    case CompareOperator::kGreaterOrEqual:
      return order <= 0;
    case CompareOperator::kGreater:
      return order < 0;
  }
  return false;
}

}  // namespace table

const char* compare_operator_name(CompareOperator op) {
  constexpr const char* kNames[] = {"<", "<=", "=", "!=", ">=", ">"};
  return kNames[static_cast<std::size_t>(op)];
}

Comparator Comparator::binary(std::string value) {
  return Comparator(std::make_shared<table::BinaryForm>(std::move(value)));
}

Comparator Comparator::binary_prefix(std::string value) {
  return Comparator(std::make_shared<table::BinaryPrefixForm>(std::move(value)));
}

Result<Comparator> Comparator::substring(std::string_view text) {
  if (std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) >= 0x80; })) {
    return Error(ErrorCode::kUnsupported, "substring comparator",
                 "expected ASCII text, whose letters fold alike everywhere, found other characters");
  }
  return Comparator(std::make_shared<table::SubstringForm>(table::lower_text(text)));
}

Result<Comparator> Comparator::regex(std::string_view pattern) {
  BLOOMERY_ASSIGN_OR_RETURN(table::JavaPattern compiled, table::JavaPattern::compile(pattern));
  return Comparator(std::make_shared<table::RegexForm>(std::move(compiled)));
}

std::string Comparator::to_string() const {
  return form_->text();
}

}  // namespace bloomery
