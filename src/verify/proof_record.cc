#include "verify/proof_record.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <limits>
#include <utility>

#include "base/atomic_file.h"
#include "base/crc32c.h"
#include "base/message.h"
#include "dialects/dialect_rows.h"
#include "dialects/whole_file.h"

namespace bloomery {
namespace {

namespace fs = std::filesystem;

constexpr const char* kProofSubject = "proof";
constexpr std::string_view kFirstLine = "bloomery proof 1\n";
constexpr std::string_view kCrcWord = "crc32c ";
constexpr std::uint64_t kMostProofBytes = 1 << 20;

std::string hex_text(std::uint64_t value, int digits) {
  std::string text(static_cast<std::size_t>(digits), '0');
  for (std::size_t i = text.size(); value != 0; value >>= 4) {
    text[--i] = "0123456789abcdef"[value & 15];
  }
  return text;
}

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

// --- Writing

std::string line_of(std::string_view word, const ProofRecord::ReadFile& file) {
  return message(word, " ", file.size_bytes, " ", file.modified_ns, " ", hex_text(file.digest.high, 16),
                 hex_text(file.digest.low, 16), " ", file.name, "\n");
}

std::string text_of(const ProofRecord& record) {
  std::string text(kFirstLine);
  text += line_of("filter", record.filter);
  for (const ProofRecord::ReadFile& file : record.data) {
    text += line_of("data", file);
  }
  text += message("keys ", record.keys, "\nproven ", record.proven_at, "\n");
  return text + message(kCrcWord, hex_text(crc32c(bytes_of(text)), 8), "\n");
}

// --- Reading

// Consumes the lines of a proof, and the fields of a line.
class ProofText {
 public:
  explicit ProofText(std::string_view text) : left_(text) {}

  bool is_at_end() const { return left_.empty(); }
  // Returns the text up to `end`, which is skipped; nothing if there is no `end`.
  std::optional<std::string_view> up_to(char end) {
    const std::size_t at = left_.find(end);
    if (at == std::string_view::npos) {
      return std::nullopt;
    }
    const std::string_view field = left_.substr(0, at);
    left_.remove_prefix(at + 1);
    return field;
  }
  bool skip(std::string_view word) {
    const bool is_there = left_.starts_with(word);
    left_.remove_prefix(is_there ? word.size() : 0);
    return is_there;
  }
  template <typename Number>
  std::optional<Number> number(char end, int base = 10) {
    const std::optional<std::string_view> field = up_to(end);
    return field ? number_of<Number>(*field, base) : std::nullopt;
  }
  template <typename Number>
  static std::optional<Number> number_of(std::string_view field, int base) {
    Number value = 0;
    const auto [stop, error] = std::from_chars(field.data(), field.data() + field.size(), value, base);
    return error == std::errc() && stop == field.data() + field.size() ? std::optional(value) : std::nullopt;
  }

 private:
  std::string_view left_;
};

std::optional<Hash128> digest_of_text(std::string_view hex) {
  if (hex.size() != 32) {
    return std::nullopt;
  }
  const auto high = ProofText::number_of<std::uint64_t>(hex.substr(0, 16), 16);
  const auto low = ProofText::number_of<std::uint64_t>(hex.substr(16), 16);
  return high && low ? std::optional(Hash128{.low = *low, .high = *high}) : std::nullopt;
}

std::optional<ProofRecord::ReadFile> parse_file(ProofText& text) {
  const auto size = text.number<std::uint64_t>(' ');
  const auto modified = text.number<std::int64_t>(' ');
  const std::optional<Hash128> digest = digest_of_text(text.up_to(' ').value_or(""));
  const std::optional<std::string_view> name = text.up_to('\n');
  if (!size || !modified || !digest || !name || name->empty()) {
    return std::nullopt;
  }
  return ProofRecord::ReadFile{std::string(*name), *size, *modified, *digest};
}

std::optional<ProofRecord> parse_lines(ProofText text) {
  ProofRecord record;
  std::optional<ProofRecord::ReadFile> file = text.skip("filter ") ? parse_file(text) : std::nullopt;
  if (!file) {
    return std::nullopt;
  }
  record.filter = std::move(*file);
  while (text.skip("data ")) {
    file = parse_file(text);
    if (!file) {
      return std::nullopt;
    }
    record.data.push_back(std::move(*file));
  }
  const auto keys = text.skip("keys ") ? text.number<std::uint64_t>('\n') : std::nullopt;
  const auto proven = text.skip("proven ") ? text.number<std::int64_t>('\n') : std::nullopt;
  if (!keys || !proven || !text.is_at_end()) {
    return std::nullopt;
  }
  record.keys = *keys;
  record.proven_at = *proven;
  return record;
}

// --- Files

// Returns the digest of the bits that the dialect of the file asks.
Result<Hash128> digest_of_filter(std::span<const std::byte> file) {
  for (const Dialect& dialect : dialect_rows()) {
    if (dialect.filter_digest != nullptr && dialect.recognise(file).recognition == Recognition::kCertain) {
      return dialect.filter_digest(file);
    }
  }
  return hash_bytes(file, {.id = HashId::kXxh3});
}

Result<Hash128> digest_of_data(std::span<const std::byte> file) {
  return hash_bytes(file, {.id = HashId::kXxh3});
}

Result<Hash128> digest_of(const std::string& path,
                          Result<Hash128> (*digest)(std::span<const std::byte> file)) {
  BLOOMERY_ASSIGN_OR_RETURN(const std::shared_ptr<MappedFile> mapping, map_whole(path));
  const Result<Hash128> found = digest(std::as_const(*mapping).bytes());
  BLOOMERY_RETURN_IF_ERROR(mapping->status());
  return found;
}

bool is_unchanged(const FileFacts& before, const FileFacts& now) {
  return before.is_same_file(now) && before.size_bytes == now.size_bytes &&
         before.modified_ns == now.modified_ns;
}

// Returns the name of a file in a proof: without its folder, if it is in that of the proof.
Result<std::string> name_in_proof(const std::string& path, const std::string& filter) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error).lexically_normal();
  const fs::path folder = fs::absolute(filter, error).lexically_normal().parent_path();
  std::string name = absolute.parent_path() == folder ? absolute.filename().string() : absolute.string();
  return name.find('\n') == std::string::npos
             ? Result<std::string>(std::move(name))
             : Error::invalid_argument(path, "expected a name without a line feed, for a proof to be kept");
}

Result<ProofRecord::ReadFile> read_file_of(const std::string& path, const FileFacts& before,
                                           const std::string& filter) {
  BLOOMERY_ASSIGN_OR_RETURN(std::string name, name_in_proof(path, filter));
  BLOOMERY_ASSIGN_OR_RETURN(const Hash128 digest,
                            digest_of(path, path == filter ? digest_of_filter : digest_of_data));
  BLOOMERY_ASSIGN_OR_RETURN(const FileFacts now, FileSystem::real().facts(path));
  if (!is_unchanged(before, now)) {
    return Error(ErrorCode::kIo, path, "has changed since its proof began").with_errno(ESTALE);
  }
  return ProofRecord::ReadFile{std::move(name), now.size_bytes, now.modified_ns, digest};
}

// Returns why a file is not the one that was read, or an empty text.
std::string changed_since(const ProofRecord::ReadFile& file, const std::string& filter) {
  const std::string path = (fs::path(filter).parent_path() / file.name).string();
  const Result<FileFacts> now = FileSystem::real().facts(path);
  if (!now) {
    return now.error().to_string();
  }
  if (now->size_bytes != file.size_bytes) {
    return message(file.name, " has ", now->size_bytes, " bytes, and had ", file.size_bytes);
  }
  return now->modified_ns != file.modified_ns ? file.name + " was written since" : std::string();
}

Result<ProofRecord> read_proof_record(const std::string& path) {
  BLOOMERY_ASSIGN_OR_RETURN(const std::shared_ptr<MappedFile> mapping, map_whole(path));
  const std::span<const std::byte> bytes = std::as_const(*mapping).bytes();
  if (bytes.size() > kMostProofBytes) {
    return Error::corruption(kProofSubject, 0, message("at most ", kMostProofBytes, " bytes"), bytes.size());
  }
  return parse_proof_record({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

// Returns why the record does not hold for the filter, or an empty text.
std::string void_because(const ProofRecord& record, const std::string& filter) {
  if (fs::path(filter).filename() != record.filter.name) {
    return "it is the proof of " + record.filter.name;
  }
  std::string changed = changed_since(record.filter, filter);
  for (std::size_t i = 0; changed.empty() && i < record.data.size(); ++i) {
    changed = changed_since(record.data[i], filter);
  }
  if (!changed.empty()) {
    return changed;
  }
  const Result<Hash128> digest = digest_of(filter, digest_of_filter);
  if (!digest) {
    return digest.error().to_string();
  }
  return *digest == record.filter.digest ? std::string() : "other bits than were proven";
}

}  // namespace

std::string ProofRecord::to_string() const {
  std::array<char, 32> when = {};
  std::tm utc = {};
  const auto seconds = static_cast<std::time_t>(proven_at);
  if (gmtime_r(&seconds, &utc) == nullptr) {
    return {};
  }
  const std::size_t size = std::strftime(when.data(), when.size(), "%Y-%m-%dT%H:%M:%SZ", &utc);
  std::string from;
  for (const ReadFile& file : data) {
    from += (from.empty() ? " of " : ", ") + file.name;
  }
  return message(keys, " keys", from, ", ", std::string_view(when.data(), size));
}

Result<ProofRecord> parse_proof_record(std::string_view text) {
  const std::size_t last = text.rfind(kCrcWord);
  if (!text.starts_with("bloomery proof ") || last == std::string_view::npos) {
    return Error::corruption(kProofSubject, 0, "the lines of a proof", "others");
  }
  const std::string_view covered = text.substr(0, last);
  const std::string expected = message(kCrcWord, hex_text(crc32c(bytes_of(covered)), 8), "\n");
  if (text.substr(last) != expected) {
    return Error::corruption(kProofSubject, last, "the line " + expected.substr(0, expected.size() - 1),
                             "another one");
  }
  if (!text.starts_with(kFirstLine)) {
    return Error::unsupported(kProofSubject, 0, "expected version 1, found another one");
  }
  std::optional<ProofRecord> record = parse_lines(ProofText(covered.substr(kFirstLine.size())));
  if (!record) {
    return Error::corruption(kProofSubject, 0, "the lines of a proof", "others");
  }
  return std::move(*record);
}

Status save_proof_record(const Proof& proof) {
  if (proof.verdict() != Verdict::kSound || proof.keys == 0 || proof.files.empty()) {
    return Error::invalid_argument(proof.path,
                                   "expected a sound filter that was asked about keys, for a "
                                   "proof to be kept");
  }
  const std::string& filter = proof.files.front().first;
  ProofRecord record = {.filter = {}, .data = {}, .keys = proof.keys, .proven_at = std::time(nullptr)};
  for (const auto& [path, before] : proof.files) {
    BLOOMERY_ASSIGN_OR_RETURN(ProofRecord::ReadFile file, read_file_of(path, before, filter));
    if (&path == &filter) {
      record.filter = std::move(file);
    } else {
      record.data.push_back(std::move(file));
    }
  }
  const std::string text = text_of(record);
  const std::array parts = {bytes_of(text)};
  return save_atomically(FileSystem::real(), proof_path_of(filter), parts, {.if_exists = IfExists::kReplace});
}

KeptProof kept_proof(const std::string& path) {
  const Result<ProofRecord> record = read_proof_record(proof_path_of(path));
  if (!record) {
    const bool is_missing = record.error().code() == ErrorCode::kNotFound;
    return {.valid = {}, .reason = is_missing ? "not proven" : record.error().to_string()};
  }
  const std::string reason = void_because(*record, path);
  return reason.empty() ? KeptProof{.valid = *record, .reason = {}}
                        : KeptProof{.valid = {}, .reason = "its proof is void: " + reason};
}

}  // namespace bloomery
