// Group commit: writers queue, the first of them writes for all that wait.
//
//   writer 1   leads: [1]                     leads again: [4]
//   writer 2     waits . . . . leads: [2 3]      |
//   writer 3     waits . . . . done by 2 . . .   |
//
// While a leader waits for the disk, the others queue; the next leader takes them together. So n writers cost
// little more than one sync. Work that needs the writers to stand still, as the change of a view, waits in
// the same queue and is led alone.
//
// Thread-safe. The order of the queue is the order of the writes. The idea is LevelDB's.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/hfile/cell.h"
#include "bloomery/store/mutation.h"

namespace bloomery::store {

class Region;

// An atomic write to a region. Its cells have their timestamps, and no mvcc yet.
struct Write {
  Region* region = nullptr;
  std::span<const Cell> cells = {};
  std::size_t size_bytes = 0;
  Durability durability = Durability::kUseDefault;
  const std::function<Status()>* alone = nullptr;  // instead of the others
  Status status = {};                              // set by the leader
};

class CommitQueue {
 public:
  // Called by one leader at a time. Sets the status of each write, and throws nothing: others wait for it.
  using Lead = std::function<void(std::span<Write* const>)>;

  explicit CommitQueue(Lead lead) : lead_(std::move(lead)) { group_.reserve(kMostGroupWrites); }

  // Returns the write's status when it is decided.
  Status commit(Write& write);
  // Calls `work` while no write is led.
  Status run_alone(const std::function<Status()>& work);

 private:
  // A group has at most so many bytes of cells, so that its first writer is not kept long.
  static constexpr std::size_t kMostGroupBytes = std::size_t{1} << 20;
  static constexpr std::size_t kMostGroupWrites = 1024;  // so that a group allocates nothing

  struct Waiting {
    Write* write = nullptr;
    Waiting* next = nullptr;
    std::condition_variable turn = {};
    bool is_done = false;
  };

  void take_group();
  void dismiss_group();

  Lead lead_;
  std::mutex mutex_;  // guards the members below
  Waiting* first_ = nullptr;
  Waiting* last_ = nullptr;
  std::vector<Write*> group_;  // the leader's; nobody else looks at it
};

}  // namespace bloomery::store
