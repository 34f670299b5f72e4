#include "verify/hfile_proof.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

#include "base/file.h"
#include "base/message.h"
#include "hfile/recognition.h"

namespace bloomery {
namespace {

bool is_encoded_name(std::string_view name) {
  constexpr std::size_t kDigits = 32;
  return name.size() >= kDigits &&
         name.substr(0, kDigits).find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool is_in_region(const std::string& path) {
  const std::filesystem::path file(path);
  return is_encoded_name(file.filename().string()) &&
         is_encoded_name(file.parent_path().parent_path().filename().string()) &&
         file.filename().string().find('.') == std::string::npos;  // references and links have no cells
}

std::string count_of(std::uint64_t count, const char* what) {
  return message(count, " ", what, count == 1 ? "" : "s");
}

}  // namespace

bool is_hfile(const std::string& path, std::span<const std::byte> bytes) {
  return hfile::looks_like_hfile(bytes) || is_in_region(path);
}

Proof proof_of_hfile(const std::string& path, VerifiedHFile verified) {
  const std::string cells =
      message("its ", count_of(verified.cells, "cell"), " in ", count_of(verified.blocks, "block"));
  Proof proof{.path = path, .kind = "HFile", .against = cells};
  proof.keys = verified.probes;
  proof.denied = verified.denied;
  proof.denied_keys = std::move(verified.denied_keys);
  proof.notes = std::move(verified.remarks);
  const bool are_denials = verified.findings.size() + verified.findings_left_out == verified.denied;
  if (are_denials) {  // the file is intact otherwise
    for (const Error& denial : verified.findings) {
      proof.notes.push_back(denial.to_string());
    }
  } else {
    proof.findings = std::move(verified.findings);
    proof.findings_left_out = verified.findings_left_out;
  }
  if (verified.probes == 0 && verified.cells != 0) {
    proof.add_unproven("it has no filter; the checksums of " + cells + " hold");
  }
  return proof;
}

Proof prove_hfile(const std::string& path, const ProofOptions& options) {
  Result<VerifiedHFile> verified = verify_hfile(path, options.memory);
  Proof proof{.path = path, .kind = "HFile"};
  if (verified) {
    proof = proof_of_hfile(path, std::move(verified).value());
  } else {
    const bool is_other = verified.error().code() == ErrorCode::kInvalidArgument;
    proof.add(is_other ? verified.error().with_code(ErrorCode::kCorruption) : verified.error());
  }
  const Result<FileFacts> facts = FileSystem::real().facts(path);
  proof.bytes = facts ? facts->size_bytes : 0;
  if (options.progress) {
    (void)options.progress(proof.bytes);
  }
  return proof;
}

}  // namespace bloomery
