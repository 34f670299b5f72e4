#include "verify/filter_file_proof.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/memory_budget.h"
#include "base/spread_magic.h"
#include "bloomery/dialects/dialects.h"
#include "bloomery/filter/any_filter.h"
#include "filter/any/static_part.h"
#include "filter/leased/lease_page.h"
#include "filter/native/native_header.h"
#include "filter/spool/range_files.h"

namespace bloomery {
bool is_dialect_file(const std::string& path, std::span<const std::byte>) {
  const Result<std::vector<RecognisedDialect>> found = recognise_dialects(path);
  return found && std::ranges::any_of(*found, [](const RecognisedDialect& dialect) {
           return dialect.recognition == Recognition::kCertain;
         });
}

bool may_be_dialect_file(const std::string& path) {
  const Result<std::vector<RecognisedDialect>> found = recognise_dialects(path);
  return found && !found->empty();
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
  proof.add_unproven(std::string("it has no data next to it") +
                     (integrity == "none" ? " and no checksum" : "") + ": give its keys with --keys");
  return proof;
}

namespace {

bool begins(std::span<const std::byte> bytes, std::string_view magic) {
  return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()).starts_with(magic);
}

OpenOptions reading(Verify verify) {
  return {.verify = verify, .recorded_keys = RecordedKeys::kKnown, .without_secret = true};
}

Status prove_native(const std::string& path, Proof& proof) {
  BLOOMERY_ASSIGN_OR_RETURN(const AnyFilter filter, AnyFilter::open(path, reading(Verify::kChecksums)));
  proof.kind = "filter of type " + filter.type_name();
  proof.bytes = filter.file_bytes();
  if (filter.native().opened_during_update()) {
    proof.add_unproven("another process updates it, so its checksum proves nothing now");
    return {};
  }
  BLOOMERY_RETURN_IF_ERROR(filter.verify());
  return filter.native().file_status();
}

// Returns the leased file of a filter named FILE.7, or an empty text for another file.
std::string leased_file_of(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  const bool is_generation = dot != std::string::npos && dot + 1 < path.size() &&
                             path.find_first_not_of("0123456789", dot + 1) == std::string::npos;
  const std::string leased = is_generation ? path.substr(0, dot) : std::string();
  return LeasePage::is_one(leased) ? leased : std::string();
}

Status prove_generation(const std::string& path, Proof& proof) {
  BLOOMERY_ASSIGN_OR_RETURN(const AnyFilter filter, AnyFilter::open(path, reading(Verify::kHeaderOnly)));
  proof.bytes = kNativeHeaderBytes;
  proof.notes.push_back(path + ": its bits have no checksum, because a feeder may be changing them");
  return {};
}

Status prove_leased(const std::string& path, Proof& proof) {
  const std::string leased = leased_file_of(path);
  if (!leased.empty()) {
    return prove_generation(path, proof);
  }
  BLOOMERY_ASSIGN_OR_RETURN(const LeasePage page, LeasePage::open(path));
  if (page.generation() == 0) {
    proof.notes.emplace_back("its first filter is not complete yet, so every answer is maybe");
    proof.bytes = LeasePage::kBytes;
    return {};
  }
  BLOOMERY_RETURN_IF_ERROR(prove_generation(page.filter_path(page.generation()), proof));
  proof.bytes += LeasePage::kBytes;
  return {};
}

Status prove_range_file(const std::string& path) {
  BLOOMERY_ASSIGN_OR_RETURN(const std::unique_ptr<RangeFile> file, RangeFile::open(FileSystem::real(), path));
  constexpr std::uint64_t kSteps = 4096;  // of the range, so that few hashes are in memory
  const HashRange range = file->front().range();
  const std::uint64_t step = std::max<std::uint64_t>((range.highest - range.lowest) / kSteps, 1);
  std::vector<std::uint64_t> hashes;
  for (std::uint64_t last = range.lowest; last < range.highest - std::min(step, range.highest);) {
    last += step;
    hashes.clear();
    BLOOMERY_RETURN_IF_ERROR(file->read_through(last, hashes));
  }
  hashes.clear();
  BLOOMERY_RETURN_IF_ERROR(file->read_through(~std::uint64_t{0}, hashes));
  return file->check_end();
}

Status prove_spread(const std::string& path, bool is_part, Proof& proof) {
  FileSystem& files = FileSystem::real();
  BLOOMERY_ASSIGN_OR_RETURN(const FileFacts facts, files.facts(path));
  proof.bytes = facts.size_bytes;
  return is_part ? verify_static_part(files, path) : prove_range_file(path);
}

// Runs `prove` for a new proof, and adds its error.
template <typename Prove>
Proof proof_of(const std::string& path, const char* kind, const Prove& prove) {
  Proof proof{.path = path, .kind = kind};
  const Status proven = within_memory(path, [&] { return prove(proof); });
  if (!proven) {
    proof.add(proven.error());
  }
  return proof;
}

}  // namespace

bool is_native_file(const std::string&, std::span<const std::byte> bytes) {
  return begins(bytes, kNativeMagic);
}

Proof prove_native_file(const std::string& path, const ProofOptions&) {
  return proof_of(path, "filter", [&](Proof& proof) { return prove_native(path, proof); });
}

bool is_leased_file(const std::string& path, std::span<const std::byte>) {
  return LeasePage::is_one(path) || !leased_file_of(path).empty();
}

Proof prove_leased_file(const std::string& path, const ProofOptions&) {
  return proof_of(path, "leased filter", [&](Proof& proof) { return prove_leased(path, proof); });
}

bool is_spread_file(const std::string&, std::span<const std::byte> bytes) {
  return begins(bytes, kRangeFileMagic) || begins(bytes, kPartMagic);
}

Proof prove_spread_file(const std::string& path, const ProofOptions&) {
  char front[kPartMagic.size()] = {};
  Result<File> file = FileSystem::real().open(path, OpenFor::kReading);
  const bool is_part = file && file->read_exactly_at(0, std::as_writable_bytes(std::span(front))) &&
                       std::string_view(front, sizeof(front)) == kPartMagic;
  return proof_of(path, is_part ? "part of a static filter" : "range file",
                  [&](Proof& proof) { return prove_spread(path, is_part, proof); });
}

}  // namespace bloomery
