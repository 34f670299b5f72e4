// The fpp of the bits of one blocked Bloom filter.
//
// The model of blocked_sizing.h is the mean over all filters of a shape. A small filter has few windows, and
// may have twice or half that fpp. Its bits determine it exactly. Word i of a window has s_i set bits, and a
// key tests b_i bits. A random key finds all of these set with probability C(s_i, b_i) / C(64, b_i). So
//
//    fpp = mean over windows of  prod_i C(s_i, b_i) / C(64, b_i)
#pragma once

#include "filter/blocked/blocked_kernel.h"

namespace bloomery {

// Returns the fpp of the present bits. Reads them once, at 1 to 2 GB/s (dense: a fifth of that).
double fpp_of_bits(const BlockedTable& table);

}  // namespace bloomery
