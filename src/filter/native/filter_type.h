// The types of native filters: one table of their names, which is also the list of numbers that a file may
// have.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "bloomery/filter/filter_options.h"

namespace bloomery {

struct FilterTypeName {
  FilterType type;
  const char* name;
};

inline constexpr std::array<FilterTypeName, 8> kFilterTypeNames = {{{FilterType::kBloom, "bloom"},
                                                                    {FilterType::kBlocked, "blocked"},
                                                                    {FilterType::kRibbon, "ribbon"},
                                                                    {FilterType::kCounting, "counting"},
                                                                    {FilterType::kQuotient, "quotient"},
                                                                    {FilterType::kScalable, "scalable"},
                                                                    {FilterType::kWindowed, "windowed"},
                                                                    {FilterType::kExact, "exact"}}};

// Returns the type of a number in a file; nothing for one that is not known.
std::optional<FilterType> filter_type_of(std::uint16_t number);

}  // namespace bloomery
