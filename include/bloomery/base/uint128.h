// An unsigned integer of 128 bits: the whole product of two 64-bit numbers, or a shift by 64 that loses
// nothing.
//
// GCC and Clang have the type, standard C++ has not: `__extension__` silences the warning about it, here and
// nowhere else.
#pragma once

namespace bloomery {

__extension__ using Uint128 = unsigned __int128;

}  // namespace bloomery
