// Writes native files, and ends updates in place.
#include <algorithm>
#include <functional>
#include <utility>

#include "base/atomic_word.h"
#include "base/crc32c.h"
#include "filter/native/native_file.h"

namespace bloomery {
namespace {

// Returns the payload of a segmented or contiguous body.
SegmentedPayload::Image payload_image(const FilterBody& body) {
  if (body.segmented) {
    return body.segmented->image();
  }
  if (body.front) {
    return {.front = body.front->image(), .pieces = {body.storage.bytes().subspan(body.front_bytes())}};
  }
  return {.front = {}, .pieces = {body.storage.bytes()}};
}

std::uint32_t payload_checksum(const SegmentedPayload::Image& payload, const NativeHeader& header) {
  if (is_static_type(header.type)) {
    return crc32c(payload.pieces.front().first(header.checksummed_payload_bytes()));
  }
  std::uint32_t checksum = crc32c(payload.front);
  for (const std::span<const std::byte> piece : payload.pieces) {
    checksum = crc32c(piece, checksum);
  }
  return checksum;
}

NativeHeader header_with(const FilterBody& body, const ExceptionTable& exceptions,
                         const SegmentedPayload::Image& payload) {
  NativeHeader header = body.header;
  header.dirty = false;
  header.inserted = relaxed_load(body.inserted);
  header.payload_bytes = body.payload_bytes();
  header.column_bytes = body.column.bytes().size();
  header.exception_bytes = exceptions.bytes().size();
  header.exceptions = exceptions.live();
  header.metadata_bytes = body.metadata.size();
  header.payload_checksum = payload_checksum(payload, header);
  header.exception_checksum = crc32c(exceptions.bytes());
  header.metadata_checksum = crc32c(std::as_bytes(std::span(body.metadata)));
  return header;
}

}  // namespace

NativeHeader current_header(const FilterBody& body) {
  return header_with(body, body.exceptions, payload_image(body));
}

NativeImage::NativeImage(const FilterBody& body) : payload_(payload_image(body)) {
  const bool has_room = body.exceptions.bytes().size() != body.exceptions.live() * kExceptionBytes;
  if (has_room) {
    shortened_ = ExceptionTable::of(body.exceptions.entries());
  }
  const ExceptionTable& exceptions = has_room ? shortened_ : body.exceptions;
  header_ = encode(header_with(body, exceptions, payload_));
  parts_ = {header_, payload_.front};
  parts_.insert(parts_.end(), payload_.pieces.begin(), payload_.pieces.end());
  parts_.insert(parts_.end(),
                {body.column.bytes(), exceptions.bytes(), std::as_bytes(std::span(body.metadata))});
}

namespace {

// Returns true if a save to `path` is meant for the locked file, even if another file has its name by now.
bool is_meant_by(FileSystem& files, const std::string& path, const File& locked) {
  const Result<FileFacts> named = files.facts(path);
  const Result<FileFacts> facts = files.facts(locked);
  return path == locked.path() || (named && facts && named->is_same_file(*facts));
}

// Remembers the file that was just saved, with the header that was written, since another process may have
// changed the file already. After an error (is_certain is false) the old file may still exist, so the new one
// is remembered only if the file has its header.
void note_saved(FileSystem& files, const std::string& path, const FilterBody& body, const NativeImage& image,
                bool is_certain) {
  const std::optional<KnownFile> found = KnownFile::now(files, path);
  const KnownFile saved = KnownFile::native(path, found ? found->facts : FileFacts(), image.header());
  if (is_certain || (found && found->beginning == saved.beginning)) {
    body.known.note(saved);
  }
}

}  // namespace

Status save_native_file(FileSystem& files, const std::string& path, const FilterBody& body,
                        SaveOptions options, IfChanged if_changed) {
  if (options.lock == nullptr && body.locked_file && is_meant_by(files, path, *body.locked_file)) {
    options.lock = &*body.locked_file;
  }
  const std::function<Status(const File&)> check_old = [&](const File& old) {
    return body.known.check(files, path, old);
  };
  if (if_changed == IfChanged::kRefuse) {
    options.check_old = &check_old;
  }
  const NativeImage image(body);
  BLOOMERY_RETURN_IF_ERROR(in_file(native_file_status(files, body), path));
  BLOOMERY_ASSIGN_OR_RETURN(AtomicFile file, AtomicFile::create(files, path, options));
  for (const std::span<const std::byte> part : image.parts()) {
    BLOOMERY_RETURN_IF_ERROR(file.append(part));
  }
  if (body.is_updated_by_others()) {
    return Error::in_use(path);  // the written bytes may be inconsistent
  }
  Status committed = file.commit();
  note_saved(files, path, body, image, committed.has_value());
  return committed;
}

Status save_native_file_locked(FileSystem& files, const std::string& path, FilterBody& body) {
  SaveOptions options{.if_exists = IfExists::kRefuse};
  if (body.locked_file) {
    options = {.if_exists = IfExists::kReplace, .lock = &*body.locked_file};
  }
  const NativeImage image(body);
  BLOOMERY_ASSIGN_OR_RETURN(body.locked_file, save_atomically_locked(files, path, image.parts(), options));
  note_saved(files, path, body, image, true);
  return {};
}

Status native_file_status(FileSystem& files, const FilterBody& body) {
  if (body.updated_file) {
    BLOOMERY_ASSIGN_OR_RETURN(const FileFacts facts, files.facts(*body.updated_file));
    if (facts.size_bytes < body.header.file_bytes()) {
      return Error::corruption("file", facts.size_bytes, std::to_string(body.header.file_bytes()) + " bytes",
                               "the end: it was cut while it was updated");
    }
  }
  return body.mapping() == nullptr ? Status() : body.mapping()->status();
}

Status finish_native_update(FileSystem& files, FilterBody& body) {
  File& file = *body.updated_file;
  body.header = current_header(body);
  // Writes the new counts while the header is still dirty: a reader that reads the header twice must see
  // neither the old header nor a clean one without the new counts.
  NativeHeader still_dirty = body.header;
  still_dirty.dirty = true;
  BLOOMERY_RETURN_IF_ERROR(file.write_all_at(0, encode(still_dirty)));
  if (body.front) {
    body.front->settle();
  }
  // The order matters: the clean header, which declares the bits valid, is written once they are on disk.
  BLOOMERY_RETURN_IF_ERROR(files.sync_mapping(file, *body.storage.mapping()));
  BLOOMERY_RETURN_IF_ERROR(native_file_status(files, body));
  BLOOMERY_RETURN_IF_ERROR(file.write_all_at(0, encode(body.header)));
  BLOOMERY_RETURN_IF_ERROR(file.sync());
  // A process that respects the lock cannot have replaced the file. Others can.
  BLOOMERY_ASSIGN_OR_RETURN(const FileFacts updated, files.facts(file));
  const Result<FileFacts> named = files.facts(file.path());
  if (!named || !named->is_same_file(updated)) {
    return Error::invalid_argument(file.path(), std::string("expected the file that was opened, found ") +
                                                    (named ? "another" : "none") +
                                                    " in its place: what was changed is lost");
  }
  body.known.note(KnownFile::native(file.path(), updated, encode(body.header)));
  Status closed = file.close();
  body.updated_file.reset();
  return closed;
}

}  // namespace bloomery
