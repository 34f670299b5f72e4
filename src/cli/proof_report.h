// Prints the results of proofs, for every verb that verifies files.
//
//   PATH: FINDING                              one line for each fault
//   PATH: denies KEY                           the first ten
//   PATH: not proven: REASON                   if there are several
//   PATH: note: REMARK
//   PATH: sound: ... | damaged: ... | denies ... | cannot be proven: ...        always the last line
#pragma once

#include <string>

#include "cli/json.h"
#include "verify/proof.h"

namespace bloomery::cli {

// "sound", "unproven", "denies" or "damaged".
const char* verdict_name(Verdict verdict);

// Returns the last line without the path: "damaged: 3 findings".
std::string verdict_line(const Proof& proof);
// Returns all lines.
std::string proof_text(const Proof& proof);
Json proof_json(const Proof& proof);

// Returns the exit status: 0 for sound, 1 for unproven, 3 for the others.
int exit_status_of(const Proof& proof);

}  // namespace bloomery::cli
