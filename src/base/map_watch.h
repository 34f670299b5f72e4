// Watches a mapping, so that a file that is cut under it is an error and not the end of the process.
//
//   a read behind the end -> SIGBUS -> the handler finds the mapping in a table of all that are watched
//                                   -> zeros take the place of the page and of what follows it in the mapping
//                                   -> the mapping is noted as cut, and the read goes on
//
// Whoever used the mapping asks afterwards, before anybody hears of the result. A cut inside the last page
// that is left raises nothing: the system fills the page with zeros. So the size of the file is asked for
// too.
// Invariants: the table only grows, and its entries are read without a lock; an entry that is being changed
// is passed over (its sequence is odd), since the mapping that a thread is reading stays where it is. A
// SIGBUS of another address goes to the handler of before. Not here: a file that is cut and grows again
// between two questions without a read meanwhile.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include "bloomery/base/result.h"

namespace bloomery {

// Whether survive_cut_files() was called (bloomery/base/cut_files.h).
bool cut_files_are_survived();

class MapWatch {
 public:
  struct Entry;

  MapWatch() = default;  // watches nothing
  // Watches `mapping` of the file that is open as `descriptor`, of which it keeps a duplicate; with -1 the
  // size of the file is not asked for.
  MapWatch(std::span<const std::byte> mapping, int descriptor);
  MapWatch(MapWatch&& other) noexcept { *this = std::move(other); }
  MapWatch& operator=(MapWatch&& other) noexcept;
  ~MapWatch() { stop(); }

  // To be called before the mapping goes.
  void stop();
  // Errors: kCorruption when the file was cut below `size_bytes`, or a page could not be read.
  Status status(std::size_t size_bytes) const;

 private:
  Entry* entry_ = nullptr;
  int descriptor_ = -1;
};

}  // namespace bloomery
