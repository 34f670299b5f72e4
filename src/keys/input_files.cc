#include "keys/input_files.h"

#include <algorithm>
#include <cerrno>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compress/decompress.h"
#include "hash/ascii_text.h"
#include "keys/field_reader.h"
#include "keys/text_source.h"

namespace bloomery {
namespace {

bool is_standard_input(const std::string& name) {
  return name == "-";
}

// Returns the size of a regular file, or nothing for a pipe, a device, or a missing file.
std::optional<std::uint64_t> regular_size(const std::string& name) {
  struct stat status {};
  const int result = is_standard_input(name) ? ::fstat(STDIN_FILENO, &status) : ::stat(name.c_str(), &status);
  if (result != 0 || !S_ISREG(status.st_mode)) {
    return std::nullopt;
  }
  return static_cast<std::uint64_t>(status.st_size);
}

// Returns true if a line is a hexadecimal digest with the length of MD5, SHA-1 or SHA-256, a colon
// and a number.
bool is_counted_digest(std::string_view line) {
  const std::size_t digits = line.find(':');
  if (digits != 32 && digits != 40 && digits != 64) {
    return false;
  }
  std::string_view count = line.substr(digits + 1);
  count = count.substr(0, count.size() - (count.ends_with('\r') ? 1 : 0));
  return !count.empty() && std::ranges::all_of(count, is_ascii_digit) &&
         std::ranges::all_of(line.substr(0, digits), [](char digit) { return hex_digit(digit) >= 0; });
}

// Returns true if a key would end in the CR of its line, or if the header lacks the column: a CR may be
// part of a column's name. Precondition: all lines end in CR.
bool key_has_cr(std::span<const std::string_view> lines, const KeyPlace& place) {
  if (!place.has_fields()) {
    return true;
  }
  FieldReader fields(place);
  if (place.has_header()) {
    const auto header = std::ranges::find_if_not(
        lines, [&](std::string_view line) { return is_comment(line, place.comments); });
    if (header == lines.end() || !fields.begin_file(*header)) {
      return header != lines.end();
    }
    lines = lines.subspan(static_cast<std::size_t>(header - lines.begin()) + 1);
  }
  std::vector<std::string_view> parts;
  return std::ranges::any_of(lines, [&](std::string_view line) {
    const Result<bool> found = fields.select(line, parts);
    return found && std::ranges::any_of(parts, [](std::string_view part) { return part.ends_with('\r'); });
  });
}

}  // namespace

Status fill_with_lines(std::span<const std::string> lines, char delimiter, LineBatch& batch) {
  std::string text;
  for (const std::string& line : lines) {
    text += line + delimiter;
  }
  if (!batch.bytes.resize(text.size())) {
    return Error::capacity("-e", "memory has no room for the keys");
  }
  std::ranges::copy(text, batch.bytes.data());
  const char* next = batch.bytes.data();
  for (const std::string& line : lines) {
    batch.lines.emplace_back(next, line.size());
    next += line.size() + 1;
  }
  return {};
}

InputFiles::InputFiles(std::vector<std::string> names, InputShape shape, const std::atomic<bool>* stop)
    : names_(std::move(names)),
      shape_(std::move(shape)),
      stop_(stop),
      stdin_start_(std::max<std::int64_t>(::lseek(STDIN_FILENO, 0, SEEK_CUR), 0)) {
  if (names_.empty() && shape_.given.empty()) {
    names_.emplace_back("-");
  }
}

InputFiles::~InputFiles() {
  close_current();
}

Result<bool> InputFiles::next(LineBatch& batch) {
  for (;;) {
    if (stop_requested()) {
      return false;
    }
    if (!gave_lines_ && !shape_.given.empty()) {
      return next_given(batch);
    }
    if (!reader_) {
      BLOOMERY_ASSIGN_OR_RETURN(const bool opened, open_next());
      if (!opened) {
        return false;
      }
    }
    const Result<bool> found = reader_->next(batch);
    if (stop_requested()) {
      // An interrupted read ends in half a line or half a gzip member, which is not valid input.
      return false;
    }
    if (!found) {
      return in_file(found, current_name_);
    }
    if (*found) {
      if (shape_.look_for_cr && next_line_ == 1) {
        look_for_cr(batch);
      }
      if (shape_.look_for_counts && next_line_ == 1 && std::ranges::all_of(batch.lines, is_counted_digest)) {
        notes_.digests_have_counts = true;
      }
      if (header_is_due_) {
        take_header(batch);
      }
      first_line_ = next_line_;
      next_line_ += batch.lines.size();
      lines_read_ += batch.lines.size();
      return true;
    }
    close_current();
  }
}

void InputFiles::look_for_cr(const LineBatch& batch) {
  const auto ends_in_cr = [](std::string_view line) { return line.ends_with('\r'); };
  // The last line may lack its line end.
  const std::size_t terminated = batch.lines.size() - (batch.last_is_terminated ? 0 : 1);
  const std::span<const std::string_view> lines = std::span(batch.lines).first(terminated);
  if (!lines.empty() && std::ranges::all_of(lines, ends_in_cr) && key_has_cr(lines, *shape_.look_for_cr)) {
    notes_.keys_have_cr = true;
  }
}

Result<bool> InputFiles::next_given(LineBatch& batch) {
  gave_lines_ = true;
  current_name_ = "-e";
  first_line_ = 1;
  batch.lines.clear();
  batch.last_is_terminated = true;
  batch.places.clear();
  batch.header.reset();
  BLOOMERY_RETURN_IF_ERROR(fill_with_lines(shape_.given, shape_.line_delimiter, batch));
  lines_read_ += batch.lines.size();
  return true;
}

// Comments before the header are dropped with it. If a batch contains only comments, the header is expected
// in the next batch.
void InputFiles::take_header(LineBatch& batch) {
  auto header = batch.lines.begin();
  while (header != batch.lines.end() && is_comment(*header, shape_.comments)) {
    ++header;
  }
  next_line_ += static_cast<std::uint64_t>(header - batch.lines.begin());
  if (header != batch.lines.end()) {
    batch.header = *header++;
    header_is_due_ = false;
    ++next_line_;
  }
  batch.lines.erase(batch.lines.begin(), header);
  batch.last_is_terminated = batch.last_is_terminated || batch.lines.empty();
}

bool InputFiles::stop_requested() const {
  return stop_ != nullptr && stop_->load(std::memory_order_relaxed);
}

Result<bool> InputFiles::open_next() {
  close_current();  // a file may still be open if its first bytes could not be read
  if (next_name_ == names_.size()) {
    return false;
  }
  const std::string& name = names_[next_name_++];
  current_name_ = is_standard_input(name) ? "standard input" : name;
  next_line_ = 1;
  header_is_due_ = shape_.has_header;
  while (descriptor_ < 0) {
    descriptor_ = is_standard_input(name) ? STDIN_FILENO : ::open(name.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor_ < 0 && errno != EINTR) {
      return Error::io(name, "open", errno);
    }
    if (stop_requested()) {
      return false;  // opening a named pipe waits for a writer, and may have been interrupted
    }
  }
  (void)::posix_fadvise(descriptor_, 0, 0, POSIX_FADV_SEQUENTIAL);
  BLOOMERY_ASSIGN_OR_RETURN(
      auto source, decompressed(descriptor_source(descriptor_, current_name_, stop_), current_name_));
  reader_.emplace(std::make_unique<TextSource>(std::move(source), current_name_, notes_.dropped_mark),
                  shape_.line_delimiter);
  if (most_line_bytes_) {
    reader_->limit_line_bytes(*most_line_bytes_);
  }
  return true;
}

void InputFiles::close_current() {
  if (descriptor_ >= 0 && next_name_ > 0) {
    finished_bytes_ += regular_size(names_[next_name_ - 1]).value_or(0);
  }
  reader_.reset();
  if (descriptor_ > STDIN_FILENO) {
    ::close(descriptor_);
  }
  descriptor_ = -1;
}

bool InputFiles::is_typed() const {
  return std::ranges::any_of(names_, is_standard_input) && ::isatty(STDIN_FILENO) == 1;
}

bool InputFiles::can_rewind() const {
  return total_bytes().has_value();
}

Status InputFiles::rewind() {
  close_current();
  for (const std::string& name : names_) {
    if (is_standard_input(name) && ::lseek(STDIN_FILENO, stdin_start_, SEEK_SET) < 0) {
      return Error::io("standard input", "seek", errno);
    }
  }
  next_name_ = 0;
  gave_lines_ = false;
  lines_read_ = 0;
  finished_bytes_ = 0;
  return {};
}

std::optional<std::uint64_t> InputFiles::total_bytes() const {
  std::uint64_t total = 0;
  for (const std::string& name : names_) {
    const std::optional<std::uint64_t> size = regular_size(name);
    if (!size) {
      return std::nullopt;
    }
    total += *size;
  }
  return total;
}

std::uint64_t InputFiles::bytes_read() const {
  if (descriptor_ < 0) {
    return finished_bytes_;
  }
  const off_t position = ::lseek(descriptor_, 0, SEEK_CUR);
  return finished_bytes_ + (position > 0 ? static_cast<std::uint64_t>(position) : 0);
}

}  // namespace bloomery
