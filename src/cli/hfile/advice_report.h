// Prints the result of `hfile advise`: as text, or as one JSON object.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "bloomery/table/advise.h"
#include "cli/read_counters_file.h"

namespace bloomery::cli {

struct AdviceReport {
  std::string directory = {};
  GetMix mix = {};                                // for families that are not in `reads`
  std::map<std::string, FamilyReads> reads = {};  // recorded gets, by family
  std::size_t prefix_bytes = 0;
  TableAdvice advice = {};

  // Returns the recorded gets of a family, or null if there are none.
  const FamilyReads* reads_of(const FamilyAdvice& family) const;
  GetMix mix_of(const FamilyAdvice& family) const;
};

void print_advice_text(const AdviceReport& report);
void print_advice_json(const AdviceReport& report);

}  // namespace bloomery::cli
