#include "verify/dialect_proof.h"

#include <algorithm>
#include <memory>

#include "base/file.h"
#include "bloomery/dialects/dialects.h"

namespace bloomery {

bool is_dialect_file(const std::string& path, std::span<const std::byte>) {
  const Result<std::vector<RecognisedDialect>> found = recognise_dialects(path);
  return found && std::ranges::any_of(*found, [](const RecognisedDialect& dialect) {
           return dialect.recognition == Recognition::kCertain;
         });
}

Proof prove_dialect_file(const std::string& path, const ProofOptions& options, std::string_view dialect) {
  Proof proof{.path = path, .kind = "filter of another system"};
  const Result<std::unique_ptr<DialectFilter>> filter =
      open_dialect(path, dialect, options.memory, MissingFilters::kAnyKey);
  if (!filter) {
    const bool is_form = filter.error().code() == ErrorCode::kInvalidArgument;
    proof.add(is_form ? filter.error().with_code(ErrorCode::kUnsupported) : filter.error());
    return proof;
  }
  proof.kind = "filter of " + (*filter)->dialect();
  if (const Status whole = (*filter)->file_status(); !whole) {
    proof.add(whole.error());
  }
  const std::string integrity = (*filter)->facts().integrity;
  proof.add_unproven(std::string("it has no data beside it") +
                     (integrity == "none" ? " and no checksum" : "") + ": give its keys with --keys");
  return proof;
}

}  // namespace bloomery
