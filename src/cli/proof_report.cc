#include "cli/proof_report.h"

#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "base/byte_text.h"
#include "cli/exit_status.h"
#include "cli/numbers.h"

namespace bloomery::cli {
namespace {

// The path stands at the beginning of the line already.
std::string without_path(std::string text, const std::string& path) {
  const std::string front = path + ": ";
  return text.starts_with(front) ? text.substr(front.size()) : text;
}

std::string sound_line(const Proof& proof) {
  if (proof.against.empty()) {
    return fmt::format("sound: checksums of {} hold, no keys were asked", show_count_of(proof.bytes, "byte"));
  }
  return fmt::format("sound: {} of {} asked, none denied", show_count_of(proof.keys, "key"), proof.against);
}

std::string unproven_line(const Proof& proof) {
  const std::uint64_t reasons = proof.unproven.size() + proof.unproven_left_out;
  return fmt::format("cannot be proven: {}", reasons == 1 ? without_path(proof.unproven.front(), proof.path)
                                                          : show_count_of(reasons, "reason"));
}

}  // namespace

const char* verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::kSound:
      return "sound";
    case Verdict::kUnproven:
      return "unproven";
    case Verdict::kDenies:
      return "denies";
    case Verdict::kDamaged:
      break;
  }
  return "damaged";
}

std::string verdict_line(const Proof& proof) {
  switch (proof.verdict()) {
    case Verdict::kSound:
      return sound_line(proof);
    case Verdict::kUnproven:
      return unproven_line(proof);
    case Verdict::kDenies:
      return fmt::format("denies {} of {}", show_count(proof.denied), show_count_of(proof.keys, "key"));
    case Verdict::kDamaged:
      break;
  }
  return fmt::format("damaged: {}",
                     show_count_of(proof.findings.size() + proof.findings_left_out, "finding"));
}

std::string proof_text(const Proof& proof) {
  std::string text;
  const auto add = [&](const std::string& line) {
    text += printable_text(fmt::format("{}: {}", proof.path, line)) + '\n';
  };
  for (const Error& finding : proof.findings) {
    add(without_path(finding.to_string(), proof.path));
  }
  for (const std::string& key : proof.denied_keys) {
    add("denies " + escape_bytes(key));
  }
  const bool is_last_line =
      proof.verdict() == Verdict::kUnproven && proof.unproven.size() == 1 && proof.unproven_left_out == 0;
  for (const std::string& reason : proof.unproven) {
    if (!is_last_line) {
      add("not proven: " + without_path(reason, proof.path));
    }
  }
  for (const std::string& note : proof.notes) {
    add("note: " + note);
  }
  add(verdict_line(proof));
  return text;
}

Json proof_json(const Proof& proof) {
  std::vector<std::string> findings;
  for (const Error& finding : proof.findings) {
    findings.push_back(without_path(finding.to_string(), proof.path));
  }
  std::vector<std::string> denied;
  for (const std::string& key : proof.denied_keys) {
    denied.push_back(escape_bytes(key));
  }
  return {{"file", proof.path},
          {"kind", proof.kind},
          {"verdict", verdict_name(proof.verdict())},
          {"against", proof.against.empty() ? Json() : Json(proof.against)},
          {"keys", proof.keys},
          {"denied", proof.denied},
          {"denied_keys", denied},
          {"bytes", proof.bytes},
          {"findings", findings},
          {"findings_left_out", proof.findings_left_out},
          {"unproven", proof.unproven},
          {"unproven_left_out", proof.unproven_left_out},
          {"notes", proof.notes}};
}

int exit_status_of(const Proof& proof) {
  const Verdict verdict = proof.verdict();
  return verdict == Verdict::kSound ? kDone : verdict == Verdict::kUnproven ? kNothing : kDamaged;
}

}  // namespace bloomery::cli
