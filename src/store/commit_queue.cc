#include "store/commit_queue.h"

namespace bloomery::store {

// Takes the writes at the front that can be led together.
void CommitQueue::take_group() {
  group_.clear();
  std::size_t bytes = 0;
  for (const Waiting* waiting = first_; waiting != nullptr; waiting = waiting->next) {
    bytes += waiting->write->size_bytes;
    const bool is_first = group_.empty();
    const bool is_alone = waiting->write->alone != nullptr;
    const bool is_full = bytes > kMostGroupBytes || group_.size() == kMostGroupWrites;
    if (!is_first && (is_alone || is_full)) {
      return;
    }
    group_.push_back(waiting->write);
    if (is_alone) {
      return;
    }
  }
}

// Removes the group from the queue, and wakes its writers and the next leader.
void CommitQueue::dismiss_group() {
  for (std::size_t i = 0; i < group_.size(); ++i) {
    Waiting* const done = first_;
    first_ = done->next;
    done->is_done = true;
    if (i > 0) {
      done->turn.notify_one();
    }
  }
  if (first_ == nullptr) {
    last_ = nullptr;
  } else {
    first_->turn.notify_one();
  }
}

Status CommitQueue::commit(Write& write) {
  Waiting waiting{.write = &write};
  std::unique_lock lock(mutex_);
  (last_ == nullptr ? first_ : last_->next) = &waiting;
  last_ = &waiting;
  waiting.turn.wait(lock, [&] { return waiting.is_done || first_ == &waiting; });
  if (waiting.is_done) {
    return write.status;
  }
  take_group();
  lock.unlock();
  lead_(group_);
  lock.lock();
  dismiss_group();
  return write.status;
}

Status CommitQueue::run_alone(const std::function<Status()>& work) {
  Write write{.alone = &work};
  return commit(write);
}

}  // namespace bloomery::store
