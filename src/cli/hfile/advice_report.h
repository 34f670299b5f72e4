// What `hfile advise` prints: as text, or as one JSON object.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bloomery/base/error.h"
#include "table/family_advice.h"

namespace bloomery::cli {

struct AdviceReport {
  std::string directory = {};
  GetMix mix = {};
  std::size_t prefix_bytes = 0;
  std::map<std::string, FamilyAdvice> families = {};
  std::vector<std::string> others = {};  // files that are no HFiles
  std::vector<Error> errors = {};        // of files that were left out, or have a damaged filter
};

void print_advice_text(const AdviceReport& report);
void print_advice_json(const AdviceReport& report);

}  // namespace bloomery::cli
