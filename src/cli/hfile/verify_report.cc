#include "cli/hfile/verify_report.h"

#include <fmt/core.h>

#include "base/byte_text.h"
#include "cli/numbers.h"

namespace bloomery::cli {

void print_integrity(const std::string& file, const VerifiedHFile& verified) {
  for (const Error& error : verified.findings) {
    const std::string finding = error.to_string();
    fmt::print("{}: {}\n", file,
               printable_text(finding.starts_with(file + ": ") ? finding.substr(file.size() + 2) : finding));
  }
  if (verified.is_whole()) {
    fmt::print("{}: ok: {}, {}, {} asked of Bloom filters\n", file, show_count_of(verified.blocks, "block"),
               show_count_of(verified.cells, "cell"), show_count_of(verified.probes, "key"));
  } else {
    fmt::print("{}: damaged: {}\n", file,
               show_count_of(verified.findings.size() + verified.findings_left_out, "finding"));
  }
  for (const std::string& remark : verified.remarks) {
    fmt::print("{}: note: {}\n", file, remark);
  }
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
