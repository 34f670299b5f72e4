#include "wal/log_marker.h"

namespace bloomery::wal {

Status LogMarker::note_sync(const LogMark& mark, std::uint64_t now_ms) {
  BLOOMERY_RETURN_IF_ERROR(file_.write(mark));
  if (!due_ms_) {
    due_ms_ = policy_ == MarkSync::kAtOnce ? now_ms : now_ms + kMostDelayMs;
  }
  return tick(now_ms);
}

Status LogMarker::tick(std::uint64_t now_ms) {
  return due_ms_ && now_ms >= *due_ms_ ? sync() : Status();
}

Status LogMarker::sync() {
  if (due_ms_) {
    BLOOMERY_RETURN_IF_ERROR(file_.sync());
    due_ms_.reset();
  }
  return {};
}

}  // namespace bloomery::wal
