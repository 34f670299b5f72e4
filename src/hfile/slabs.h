// A slab allocator for blocks that are likely to stay in memory. Each slab is one huge page of 2 MiB, and
// each piece one allocation.
//
//   slab of a size      piece | piece | ... | piece | rest
//   sizes               eight between a power of two and the next: 1152, 1280, ..., 2048, 2304, ...
//   free pieces         an intrusive list in the pieces themselves
//
// A table in memory is much larger than the reach of the processor's TLB. With pages of 4 KiB each block that
// a get reads costs a page walk in addition to the memory access. bench/table.sh measures gets from such a
// table.
//
// Slabs are used once kBegin bytes are in use. A slab is made only if all slabs together then have at most
// one slab and an eighth of the bytes in use to spare. Other pieces come from operator new. So a process in
// which blocks of one size follow blocks of another size never has more than twice its peak use. Empty slabs
// are released, except one.
//
// Source: Bonwick, The Slab Allocator (1994). There is one allocator in the process, as there is one heap.
// Thread-safe. With the address sanitizer all memory comes from operator new, so that it sees every piece.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include "base/memory.h"
#include "base/pages.h"

namespace bloomery::hfile {

class Slabs {
 public:
  static constexpr std::size_t kLeastPiece = std::size_t{1} << 10;
  static constexpr std::size_t kMostPiece = std::size_t{256} << 10;
  static constexpr std::size_t kBegin = std::size_t{1} << 20;

  struct Slab;
  // An allocation, and the slab that it is from.
  struct Piece {
    std::byte* start = nullptr;
    std::size_t bytes = 0;
    Slab* slab = nullptr;  // null: operator new
  };

  static Slabs& of_process();
  Slabs();
  Slabs(const Slabs&) = delete;
  Slabs& operator=(const Slabs&) = delete;
  // Precondition: no piece is in use.
  ~Slabs();

  // The piece is not zeroed. Throws std::bad_alloc.
  Piece take(std::size_t bytes);
  void give_back(const Piece& piece);

  // Return the bytes of all pieces, and the bytes of all slabs.
  std::size_t bytes_in_use() const;
  std::size_t bytes_of_slabs() const;

 private:
  static constexpr std::size_t kSlabBytes = kHugePageBytes;
  static constexpr std::size_t kSizesOfDoubling = 8;
  static constexpr std::size_t kSizes = 8 * kSizesOfDoubling;  // from 1 KiB up to 256 KiB

  struct Size {
    std::size_t number = 0;
    std::size_t bytes = 0;
  };
  static std::optional<Size> size_for(std::size_t bytes);

  Slab* slab_with_room(const Size& size);
  Slab* new_slab();
  void give_back(std::byte* piece, Slab& slab);
  void link(Slab& slab);
  void unlink(Slab& slab);

  mutable std::mutex mutex_;             // guards the members below
  std::array<Slab*, kSizes> open_ = {};  // lists of slabs that have a free piece
  std::unique_ptr<Slab> spare_;          // an empty slab
  std::size_t slabs_ = 0;
  std::size_t in_use_ = 0;    // bytes of all pieces
  std::size_t in_slabs_ = 0;  // bytes of the pieces in slabs
};

}  // namespace bloomery::hfile
