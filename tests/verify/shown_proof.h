// A proof as text, for the messages of tests.
#pragma once

#include <string>

#include "verify/proof.h"

namespace bloomery {

inline std::string shown(const Proof& proof) {
  std::string text =
      proof.kind + ", " + std::to_string(proof.keys) + " keys, " + std::to_string(proof.denied) + " denied\n";
  for (const Error& finding : proof.findings) {
    text += finding.to_string() + "\n";
  }
  for (const std::string& reason : proof.unproven) {
    text += reason + "\n";
  }
  return text;
}

}  // namespace bloomery
