// The names of an enum's values: one table that is read in both directions.
//
//   constexpr ChoiceNames<Shape, 2> kShapes{{{{Shape::kRound, "round"}, {Shape::kSquare, "square"}}}};
//
//   kShapes.name_of(Shape::kRound)     "round"
//   kShapes.find("square")             Shape::kSquare
//   kShapes.list()                     "round or square"
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/base/result.h"

namespace bloomery {

template <typename Choice>
struct ChoiceName {
  Choice choice;
  const char* name;
};

template <typename Choice, std::size_t N>
struct ChoiceNames {
  std::array<ChoiceName<Choice>, N> rows;

  // Returns "unknown" for a value without a name.
  constexpr const char* name_of(Choice choice) const {
    for (const auto& row : rows) {
      if (row.choice == choice) {
        return row.name;
      }
    }
    return "unknown";
  }

  constexpr std::optional<Choice> find(std::string_view name) const {
    for (const auto& row : rows) {
      if (row.name == name) {
        return row.choice;
      }
    }
    return std::nullopt;
  }

  // Returns all names, for a message that says what was expected.
  std::string list() const {
    std::string text = rows[0].name;
    for (std::size_t i = 1; i < N; ++i) {
      text += std::string(i + 1 < N ? ", " : " or ") + rows[i].name;
    }
    return text;
  }

  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& row : rows) {
      all.emplace_back(row.name);
    }
    return all;
  }

  // Returns the choice of the name. Errors: kInvalidArgument with `subject`, all names, and the unknown name.
  Result<Choice> parse(const char* subject, const char* option, std::string_view name) const {
    if (const auto choice = find(name)) {
      return *choice;
    }
    return Error::invalid_argument(
        subject, std::string(option) + ": expected " + list() + ", found " + std::string(name));
  }
};

}  // namespace bloomery
