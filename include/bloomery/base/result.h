// A Result holds a value or an Error. Every call that can fail returns one.
//
// Example:
//    Result<AnyFilter> filter = AnyFilter::open("keys.filter");
//    if (!filter) {
//      return;   // filter.error() says why
//    }
//    const bool maybe = filter->may_contain("a key");
//
// Result has a subset of the interface of std::expected, so that std::expected can replace it. It is
// [[nodiscard]], because nobody notices a failure whose error is ignored. Status is the Result of a call
// that returns no value.
#pragma once

#include <cassert>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "bloomery/base/error.h"

namespace bloomery {

template <typename T>
class [[nodiscard]] Result {
 public:
  using value_type = T;
  using error_type = Error;

  // These constructors are implicit, so that `return value;` and `return Error::corruption(...);` both
  // compile.
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  // Precondition: has_value().
  T& value() & { return *std::get_if<0>(checked()); }
  const T& value() const& { return *std::get_if<0>(checked()); }
  T&& value() && { return std::move(*std::get_if<0>(checked())); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  // Precondition: !has_value().
  const Error& error() const {
    assert(!has_value());
    return *std::get_if<1>(&state_);
  }

  template <typename U>
  T value_or(U&& fallback) && {
    return has_value() ? std::move(value()) : static_cast<T>(std::forward<U>(fallback));
  }

 private:
  std::variant<T, Error>* checked() {
    assert(has_value());
    return &state_;
  }
  const std::variant<T, Error>* checked() const {
    assert(has_value());
    return &state_;
  }

  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  using value_type = void;
  using error_type = Error;

  // Not `= default`: `return {};` would then zero the storage of the error in every successful call.
  Result() {}  // NOLINT(modernize-use-equals-default)
  Result(Error error) : error_(std::move(error)) {}

  bool has_value() const { return !error_.has_value(); }
  explicit operator bool() const { return has_value(); }
  const Error& error() const {
    assert(!has_value());
    return *error_;
  }

 private:
  std::optional<Error> error_;
};

using Status = Result<void>;

// Returns the same result. Prefixes the subject of an error by `file`, unless `file` is its subject
// already.
template <typename T>
Result<T> in_file(Result<T> result, const std::string& file) {
  if (result || result.error().subject() == file) {
    return result;
  }
  return result.error().in_file(file);
}

}  // namespace bloomery

#define BLOOMERY_CONCAT_INNER(a, b) a##b
#define BLOOMERY_CONCAT(a, b) BLOOMERY_CONCAT_INNER(a, b)

// Returns the error of a Result-valued expression from the enclosing function, if there is one. The counter
// makes the names unique if the expression holds a lambda that uses the macro again.
#define BLOOMERY_RETURN_IF_ERROR(...) \
  BLOOMERY_RETURN_IF_ERROR_NAMED(BLOOMERY_CONCAT(bloomery_status_, __COUNTER__), (__VA_ARGS__))
#define BLOOMERY_RETURN_IF_ERROR_NAMED(name, expression) \
  do {                                                   \
    if (const auto name = expression; !name) {           \
      return name.error();                               \
    }                                                    \
  } while (false)

// BLOOMERY_ASSIGN_OR_RETURN(auto value, fallible()); declares or assigns, or returns the error.
#define BLOOMERY_ASSIGN_OR_RETURN(target, ...) \
  BLOOMERY_ASSIGN_OR_RETURN_NAMED(target, BLOOMERY_CONCAT(bloomery_result_, __COUNTER__), (__VA_ARGS__))
#define BLOOMERY_ASSIGN_OR_RETURN_NAMED(target, name, expression) \
  auto name = expression;                                         \
  if (!name) {                                                    \
    return name.error();                                          \
  }                                                               \
  target = std::move(name).value()
