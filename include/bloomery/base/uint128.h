// An unsigned integer of 128 bits. It holds the full product of two 64-bit numbers, and can be shifted by
// 64.
//
// GCC and Clang have the type, standard C++ does not. `__extension__` silences the warning about it here
// only.
#pragma once

namespace bloomery {

__extension__ using Uint128 = unsigned __int128;

}  // namespace bloomery
