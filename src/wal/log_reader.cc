#include "wal/log_reader.h"

#include <algorithm>
#include <filesystem>
#include <span>
#include <string_view>
#include <utility>

#include "base/message.h"
#include "wal/entry_bytes.h"
#include "wal/entry_key.h"
#include "wal/log_seal.h"
#include "wal/plain_cell.h"

namespace bloomery::wal {
namespace {

// The trailer of any writer is within so many bytes of the end.
constexpr std::uint64_t kTailBytes = 4096;
// A search tries the bytes after a plausible key. Together it reads at most so many times the bytes of the
// log, whatever their content.
constexpr std::uint64_t kSearchFactor = 8;
// No key that a search tries is larger.
constexpr std::uint32_t kMostSearchedKey = 65536;
// No writer needs a larger key. Its lists are in memory.
constexpr std::uint32_t kMostKeyBytes = std::uint32_t{4} << 20;
// The encoded name of a region is 32 hex digits, of hbase:meta ten.
constexpr char kRegionNameSize = 32;
constexpr char kMetaRegionNameSize = 10;

}  // namespace

LogKind log_kind_of(const std::string& path) {
  return std::filesystem::path(path).parent_path().filename() == "recovered.edits" ? LogKind::kRecoveredEdits
                                                                                   : LogKind::kServerLog;
}

Result<LogReader> LogReader::open(FileSystem& files, const std::string& path, const LogReadOptions& options) {
  BLOOMERY_ASSIGN_OR_RETURN(File file, files.open(path, OpenFor::kReading));
  BLOOMERY_ASSIGN_OR_RETURN(const FileFacts facts, files.facts(file));
  const auto budget = MemoryBudget::of_file(options.memory, facts.size_bytes);
  LogReader reader;
  reader.files_ = &files;
  reader.kind_ = options.kind;
  reader.mark_ = options.mark;
  reader.is_torn_after_mark_ = options.is_torn_after_mark;
  reader.ends_at_link_ = options.ends_at_link;
  reader.cells_memory_ = MemoryShare(budget);
  reader.window_ =
      std::make_unique<LogWindow>(std::move(file), facts.size_bytes, options.max_entry_bytes, budget);
  BLOOMERY_RETURN_IF_ERROR(in_file(reader.read_header(options, budget), path));
  return reader;
}

Status LogReader::read_header(const LogReadOptions& options, const std::shared_ptr<MemoryBudget>& budget) {
  entries_end_ = window_->size();
  BLOOMERY_RETURN_IF_ERROR(window_->move_to(0));
  BLOOMERY_RETURN_IF_ERROR(
      window_->extend(static_cast<std::size_t>(std::min<std::uint64_t>(kMostHeaderBytes, window_->size()))));
  Result<HeaderRead> read = read_log_header(window_->bytes());
  Status used = read ? use_header(*std::move(read), options, budget) : Status(read.error());
  if (!used && used.error().code() == ErrorCode::kCorruption && options.despite_header) {
    header_error_ = used.error();
    header_ = {};
    position_ = 0;
    return read_trailer();
  }
  return used;
}

Status LogReader::use_header(HeaderRead read, const LogReadOptions& options,
                             const std::shared_ptr<MemoryBudget>& budget) {
  if (read.is_cut) {
    BLOOMERY_ASSIGN_OR_RETURN(const bool found, find_entry(0));
    return found ? Status(Error::corruption(kLogSubject, kLogMagic.size(),
                                            "a header that ends before the entries", "a longer one"))
                 : Status();
  }
  header_ = std::move(read.header);
  position_ = header_.size_bytes;
  link_ = header_.seal ? header_.seal->link : 0;
  BLOOMERY_RETURN_IF_ERROR(check_mark(0, position_));
  if (is_compressed() && is_sealed()) {
    return Error::unsupported(kLogSubject, 0,
                              "expected a sealed log without compression, found a compressed one");
  }
  if (is_compressed()) {
    compressed_ = std::make_unique<CompressedEntry>(header_, options.kind, budget);
  }
  return read_trailer();
}

Status LogReader::read_trailer() {
  const std::uint64_t begin =
      std::max<std::uint64_t>(position_, window_->size() - std::min(window_->size(), kTailBytes));
  BLOOMERY_RETURN_IF_ERROR(window_->move_to(begin));
  BLOOMERY_RETURN_IF_ERROR(window_->extend(static_cast<std::size_t>(window_->size() - begin)));
  trailer_ = read_log_trailer(window_->bytes(), begin);
  // In a sealed log the last bytes of a torn entry are not taken for a trailer.
  if (trailer_ && is_sealed() && !trailer_->seal) {
    trailer_.reset();
  }
  entries_end_ -= trailer_ ? trailer_->size_bytes : 0;
  return {};
}

LogReader::Attempt LogReader::bad(std::size_t at, const char* expected) {
  problem_at_ = entry_.offset + at;
  problem_ = expected;
  return Attempt::kBad;
}

// Doubles the room for cells. The old and the new room are charged, as both exist for a moment.
bool LogReader::grow_cells(EntryBytes& in) {
  const std::size_t count = std::max<std::size_t>(16, 2 * entry_.cells.capacity());
  const Status added = cells_memory_.add("cells of an entry", count * sizeof(Cell));
  if (!added) {
    in.fail_with(added);
    return false;
  }
  entry_.cells.reserve(count);
  return true;
}

// Returns nullptr, or what was expected where `in` failed.
const char* LogReader::read_cells(EntryBytes& in, std::uint64_t count) {
  entry_.cells.clear();
  const auto mvcc = static_cast<std::int64_t>(entry_.mvcc());
  for (std::uint64_t i = 0; i < count; ++i) {
    if (entry_.cells.size() == entry_.cells.capacity() && !grow_cells(in)) {
      return "fewer cells";
    }
    Cell& cell = entry_.cells.emplace_back();
    cell.mvcc = mvcc;
    const char* const expected = compressed_ ? compressed_->read_cell(in, cell) : read_plain_cell(in, cell);
    if (expected != nullptr) {
      return expected;
    }
  }
  return nullptr;
}

const char* LogReader::read_parts(EntryBytes& in) {
  const std::uint32_t key_size = in.length();
  const std::size_t key_at = in.position();
  if (key_size > kMostKeyBytes) {
    in.fail();
  }
  const auto key = std::as_bytes(std::span(in.bytes(key_size)));
  if (in.failed()) {
    return "the key of an entry";
  }
  std::uint64_t cell_count = 0;
  KeyProblem problem;
  if (!parse_entry_key(key, entry_, cell_count, problem)) {
    in.fail();
    return problem.expected;
  }
  if (compressed_) {
    compressed_->start();
    if (const char* const expected = compressed_->read_key_words(entry_, in)) {
      in.fail();
      return expected;
    }
  }
  entry_seal_ = seal_of_key(key);
  if (const char* const expected = read_cells(in, cell_count)) {
    return expected;
  }
  if (is_sealed()) {
    const std::size_t link_at = key_at + key.size() - kLinkBytes;
    const bool has_seal = entry_seal_ && !entry_.attributes.empty() &&
                          entry_.attributes.back().key == kSealName &&
                          entry_.attributes.back().value.size() == kSealBytes;
    if (!has_seal || link_of(in.since(0), link_at) != entry_seal_->link) {
      in.fail();
      return "an entry with a correct link";
    }
    entry_.attributes.pop_back();  // the seal
  }
  return nullptr;
}

Result<LogReader::Attempt> LogReader::try_entry(std::uint64_t offset) {
  BLOOMERY_RETURN_IF_ERROR(window_->move_to(offset));
  EntryBytes in(*window_);
  entry_.offset = offset;
  is_too_large_ = false;
  const char* const expected = read_parts(in);
  if (const Status& status = in.status(); !status) {
    return status.error();
  }
  entry_.size_bytes = in.position();
  if (expected != nullptr) {
    is_too_large_ = in.is_too_large();
    bad(in.position(), expected);
    return in.is_cut() ? Attempt::kCut : Attempt::kBad;
  }
  return offset + entry_.size_bytes <= entries_end_ ? Attempt::kEntry
                                                    : bad(0, "an entry that ends before the trailer");
}

// A cheap test, before try_entry(). In a sealed log the key must end with a seal; in others it must begin
// with the name of a region.
bool LogReader::may_begin_entry(std::span<const std::byte> bytes) const {
  const VarintGroups size = join_varint<3>(bytes);
  if (size.end != VarintEnd::kWhole || size.value == 0 || size.value > bytes.size() - size.size_bytes) {
    return false;
  }
  const auto key = bytes.subspan(size.size_bytes, static_cast<std::size_t>(size.value));
  if (is_sealed()) {
    return seal_of_key(key).has_value();
  }
  constexpr std::byte kRegionTag{0x0a};
  constexpr std::byte kTableTag{0x12};
  if (key.size() < 2 || key[0] != kRegionTag) {
    return false;
  }
  const auto name = std::to_integer<std::size_t>(key[1]);
  return (name == kRegionNameSize || name == kMetaRegionNameSize) && key.size() > name + 2 &&
         key[name + 2] == kTableTag;
}

// Searches the next entry from `from` on, and sets resume_. Returns false if there is none. If it has read
// too much without a result, the search ends, and the rest counts as damage.
Result<bool> LogReader::find_entry(std::uint64_t from) {
  resume_.reset();
  std::uint64_t left = kSearchFactor * (entries_end_ - std::min(from, entries_end_)) + kMostSearchedKey;
  for (std::uint64_t at = from; at < entries_end_; ++at) {
    BLOOMERY_RETURN_IF_ERROR(window_->move_to(at));
    BLOOMERY_RETURN_IF_ERROR(window_->extend(static_cast<std::size_t>(
        std::min<std::uint64_t>(kMostSearchedKey + kMaxVarintBytes, window_->size() - at))));
    if (!may_begin_entry(window_->bytes())) {
      continue;
    }
    BLOOMERY_ASSIGN_OR_RETURN(const Attempt attempt, try_entry(at));
    if (attempt == Attempt::kEntry) {
      resume_ = at;
      return true;
    }
    if (left <= entry_.size_bytes) {
      resume_ = entries_end_;
      return true;
    }
    left -= entry_.size_bytes;
  }
  return false;
}

// Returns true if the rest of the log is zeros, or the beginning of a trailer without fields.
Result<bool> LogReader::rest_is_torn() {
  constexpr std::string_view kTrailer("\0\0\0\0LAWP", kTrailerTailBytes);
  for (std::uint64_t at = position_; at < window_->size();) {
    BLOOMERY_RETURN_IF_ERROR(window_->move_to(at));
    const auto bytes = window_->bytes();
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (at == position_ && kTrailer.starts_with(text)) {
      return true;
    }
    if (text.find_first_not_of('\0') != std::string_view::npos) {
      return false;
    }
    at += bytes.size();
  }
  return true;
}

Error LogReader::problem_error(Attempt attempt) const {
  if (is_too_large_) {
    return Error::capacity(kLogSubject,
                           message("the entry at byte ", position_, " has more bytes than max_entry_bytes"));
  }
  return Error::corruption(kLogSubject, problem_at_,
                           message(problem_, " (entry ", entries_, " at byte ", position_, ")"),
                           attempt == Attempt::kCut ? "the end of the log" : "other bytes");
}

// Compares the mark with the end of a record. The mark is then done with.
Status LogReader::check_mark(std::uint64_t from, std::uint64_t to) {
  if (!mark_ || mark_->length <= from || mark_->length > to) {
    return {};
  }
  const LogMark mark = *std::exchange(mark_, std::nullopt);
  resume_ = from;
  if (mark.length != to) {
    return Error::corruption(kLogSubject, from, message("an end at byte ", mark.length, ", as the mark says"),
                             message("one at byte ", to));
  }
  if (is_sealed() && mark.link != link_) {
    return Error::corruption(kLogSubject, from, message("the link ", mark.link, " of the mark"), link_);
  }
  resume_.reset();
  return {};
}

// Returns true if the mark is at the end of the trailer.
bool LogReader::is_mark_of_trailer(const LogMark& mark) const {
  return mark.length == window_->size() && (!trailer_->seal || mark.link == trailer_->seal->link);
}

Result<bool> LogReader::end_here(LogEndKind kind, std::string detail) {
  has_ended_ = true;
  end_ = {.kind = kind, .offset = position_, .detail = std::move(detail)};
  BLOOMERY_ASSIGN_OR_RETURN(const FileFacts facts, files_->facts(window_->file()));
  end_.has_grown = facts.size_bytes > window_->size();
  const bool is_marked = kind == LogEndKind::kClosed && mark_ && is_mark_of_trailer(*mark_);
  if (mark_ && mark_->length > position_ && !is_marked) {
    return Error::corruption(kLogSubject, position_,
                             message("entries up to byte ", mark_->length, ", as the mark says"),
                             message("the end of the entries at byte ", position_));
  }
  return false;
}

Result<bool> LogReader::end_of_entries() {
  if (!trailer_) {
    return end_here(LogEndKind::kOpen, "");
  }
  BLOOMERY_RETURN_IF_ERROR(end_here(LogEndKind::kClosed, ""));
  if (trailer_->damage) {
    return *trailer_->damage;
  }
  const bool is_checked = trailer_->seal && is_sealed() && !has_skipped_;
  if (is_checked && (*trailer_->entries != entries_ || trailer_->seal->previous != link_)) {
    return Error::corruption(
        kLogSubject, position_,
        message(*trailer_->entries, " entries, and the last link ", trailer_->seal->previous),
        message(entries_, " entries, and the last link ", link_));
  }
  return false;
}

// Returns true if the writer may never have synced what follows the position.
bool LogReader::may_be_torn() const {
  const bool is_below_mark = mark_ && mark_->length > position_;
  return !is_below_mark && (is_torn_after_mark_ || (is_sealed() && ends_at_link_ == link_));
}

// Decides if the bytes at the position are a torn end or damage.
Result<bool> LogReader::no_entry(Attempt attempt) {
  const Error error = problem_error(attempt);
  bool is_damage = trailer_.has_value() || is_too_large_ || (mark_ && mark_->length > position_);
  if (may_be_torn()) {
    is_damage = false;
  } else if (compressed_) {
    BLOOMERY_ASSIGN_OR_RETURN(const bool is_torn, rest_is_torn());
    is_damage = is_damage || (attempt != Attempt::kCut && !is_torn);
  } else {
    BLOOMERY_ASSIGN_OR_RETURN(const bool found, find_entry(position_ + 1));
    is_damage = is_damage || found;
  }
  if (!is_damage) {
    return end_here(LogEndKind::kTorn, error.detail());
  }
  if (!resume_ && trailer_ && !compressed_) {
    resume_ = entries_end_;
  }
  return end_after(error);
}

// Returns the error. If no entry follows, it is the end.
Error LogReader::end_after(const Error& error) {
  if (!resume_) {
    has_ended_ = true;
    end_ = {.kind = LogEndKind::kTorn, .offset = position_, .detail = error.detail()};
  }
  return error;
}

// Compares the seal of the entry with the record before it.
Status LogReader::check_chain() {
  if (!is_sealed()) {
    if (!entry_seal_ || kind_ == LogKind::kRecoveredEdits || compressed_) {
      return {};
    }
    header_.seal = Seal{};
    resume_ = entry_.offset;
    return Error::corruption(kLogSubject, 0, "a header with a seal, because entries have one", "none");
  }
  if (entry_seal_->previous != link_ && !begins_chain_) {
    resume_ = entry_.offset;
    return Error::corruption(
        kLogSubject, entry_.offset,
        message("an entry after the link ", link_, "; entries are missing, repeated or exchanged"),
        message("one after ", entry_seal_->previous));
  }
  begins_chain_ = false;
  link_ = entry_seal_->link;
  return {};
}

Result<bool> LogReader::next() {
  if (header_error_) {
    const Error error = *std::exchange(header_error_, std::nullopt);
    BLOOMERY_RETURN_IF_ERROR(find_entry(position_));
    return end_after(error);
  }
  if (has_ended_) {
    return false;
  }
  if (position_ == 0) {
    return end_here(LogEndKind::kTorn, "expected a header, found the end of the log");
  }
  if (position_ >= entries_end_) {
    return end_of_entries();
  }
  BLOOMERY_ASSIGN_OR_RETURN(const Attempt attempt, try_entry(position_));
  if (attempt != Attempt::kEntry) {
    return no_entry(attempt);
  }
  if (is_sealed() && entry_seal_->previous != link_ && may_be_torn()) {
    return end_here(LogEndKind::kTorn, "expected an entry after its neighbour");
  }
  BLOOMERY_RETURN_IF_ERROR(check_chain());
  BLOOMERY_RETURN_IF_ERROR(check_mark(position_, position_ + entry_.size_bytes));
  position_ += entry_.size_bytes;
  entry_.number = entries_++;
  return true;
}

bool LogReader::skip_damage() {
  if (!resume_) {
    return false;
  }
  has_skipped_ = begins_chain_ = true;
  position_ = *std::exchange(resume_, std::nullopt);
  return true;
}

}  // namespace bloomery::wal
