#include <fmt/core.h>

#include "cli/hfile/reports.h"
#include "cli/proof_report.h"
#include "verify/hfile_proof.h"

namespace bloomery::cli {

void print_integrity(const std::string& file, const VerifiedHFile& verified) {
  fmt::print("{}", proof_text(proof_of_hfile(file, verified)));
}

nlohmann::ordered_json integrity_json(const std::string& file, const VerifiedHFile& verified) {
  nlohmann::ordered_json findings = nlohmann::ordered_json::array();
  for (const Error& error : verified.findings) {
    findings.push_back(error.to_string());
  }
  return {{"file", file},
          {"integrity", verified.is_whole() ? "ok" : "damaged"},
          {"findings", findings},
          {"findings_left_out", verified.findings_left_out},
          {"blocks", verified.blocks},
          {"cells", verified.cells},
          {"remarks", verified.remarks}};
}

}  // namespace bloomery::cli
