// Prints the result of `hfile advise`: as text, or as one JSON object.
#pragma once

#include <cstddef>
#include <string>

#include "bloomery/table/advise.h"

namespace bloomery::cli {

struct AdviceReport {
  std::string directory = {};
  GetMix mix = {};
  std::size_t prefix_bytes = 0;
  TableAdvice advice = {};
};

void print_advice_text(const AdviceReport& report);
void print_advice_json(const AdviceReport& report);

}  // namespace bloomery::cli
