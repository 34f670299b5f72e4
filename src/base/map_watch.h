// Watches a mapping, so that cutting its file is an error and does not end the process.
//
//   a read after the end of the file
//     -> SIGBUS
//     -> the handler finds the mapping in a table of all watched mappings
//     -> zeros replace the page and all that follows it in the mapping
//     -> the mapping is marked as cut, and the read continues
//
// A user of the mapping checks its status before it returns a result. A cut inside the last remaining page
// raises no signal, because the system fills the page with zeros. So status() also checks the size of the
// file.
//
// Invariants:
//
//   - The table only grows, and the handler reads its entries without a lock.
//   - The handler skips an entry that is being changed (its sequence is odd). The entry of a mapping does not
//     change while a thread reads from the mapping.
//   - A SIGBUS of another address goes to the previous handler.
//
// Limits: a file may be cut and grow again between two calls of status(). Without a read meanwhile, this is
// not noticed.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include "bloomery/base/result.h"

namespace bloomery {

// Returns true if survive_cut_files() was called (bloomery/base/cut_files.h).
bool cut_files_are_survived();

class MapWatch {
 public:
  struct Entry;

  MapWatch() = default;  // watches nothing
  // Watches `mapping` of the file that is open as `descriptor`, and keeps a duplicate of the descriptor. With
  // -1 the size of the file is not checked.
  MapWatch(std::span<const std::byte> mapping, int descriptor);
  MapWatch(MapWatch&& other) noexcept { *this = std::move(other); }
  MapWatch& operator=(MapWatch&& other) noexcept;
  ~MapWatch() { stop(); }

  // Call this before unmapping.
  void stop();
  // Errors: kCorruption if the file was cut below `size_bytes`, or a page could not be read.
  Status status(std::size_t size_bytes) const;

 private:
  Entry* entry_ = nullptr;
  int descriptor_ = -1;
};

}  // namespace bloomery
