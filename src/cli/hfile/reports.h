// Reports that the verbs of `hfile` print: about Bloom filters (bloom_report.cc), advice (advice_report.cc),
// and the findings of a check (verify_report.cc).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include <nlohmann/json.hpp>

#include "bloomery/base/result.h"
#include "bloomery/table/advise.h"
#include "bloomery/table/verify.h"
#include "cli/read_counters_file.h"
#include "hfile/open_file.h"

namespace bloomery::cli {

// Call this after querying a file. Errors: the filters could not be opened, or some answers were maybe only
// because a chunk is damaged; the message has their number.
Status check_filter_answers(const std::string& file, const Status& filter_status,
                            std::uint64_t damaged_answers);

// Describes both filters: parameters, keys, fill ratio, fpp. The object is empty if the file has no filters.
// Errors: those of hfile::measure_fill(), prefixed by the file.
Result<nlohmann::ordered_json> describe_blooms(const hfile::OpenFile& file);

// The result of `hfile advise`, which is printed as text, or as one JSON object.
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

// Prints the findings of the check of an HFile, for `hfile verify` and `table verify`: the lines of `verify`
// (cli/proof_report.h).
void print_integrity(const std::string& file, const VerifiedHFile& verified);
// Returns the findings and the counts as a JSON object.
nlohmann::ordered_json integrity_json(const std::string& file, const VerifiedHFile& verified);

}  // namespace bloomery::cli
