#include "bloomery/codec/dialect_filter.h"

#include <algorithm>
#include <cassert>

#include "base/atomic_file.h"
#include "filter/native/save_options.h"

namespace bloomery {
namespace {

Error cannot(const DialectFilter& filter, const std::string& what) {
  return {ErrorCode::kUnsupported, filter.dialect(), what};
}

}  // namespace

void DialectFilter::may_contain_batch(std::span<const std::string_view> keys,
                                      std::span<std::uint64_t> answers) const {
  assert(answers.size() >= answer_words(keys.size()));
  std::ranges::fill(answers.first(answer_words(keys.size())), 0);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    answers[i / 64] |= std::uint64_t{may_contain(keys[i])} << (i % 64);
  }
}

Result<bool> DialectFilter::insert(std::string_view) {
  return cannot(*this, "made of all its keys at once: none can be added");
}

Result<std::uint64_t> DialectFilter::insert_batch(std::span<const std::string_view> keys) {
  std::uint64_t changed = 0;
  for (const std::string_view key : keys) {
    BLOOMERY_ASSIGN_OR_RETURN(const bool change, insert(key));
    changed += change ? 1 : 0;
  }
  return changed;
}

Status DialectFilter::merge(const DialectFilter&) {
  return cannot(*this, "filters of this dialect cannot be merged");
}

Status DialectFilter::append_to(std::string& out) const {
  const std::size_t before = out.size();
  Status written = write([&out](std::span<const std::byte> bytes) {
    out.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return Status();
  });
  if (!written) {
    out.resize(before);
  }
  return written;
}

Status DialectFilter::save(const std::string& path, const SaveTo& to) const {
  BLOOMERY_RETURN_IF_ERROR(check_path(path));
  BLOOMERY_ASSIGN_OR_RETURN(AtomicFile file, AtomicFile::create(FileSystem::real(), path, save_options(to)));
  BLOOMERY_RETURN_IF_ERROR(write([&file](std::span<const std::byte> bytes) { return file.append(bytes); }));
  BLOOMERY_RETURN_IF_ERROR(file_status());
  return file.commit();
}

}  // namespace bloomery
