// What the bits of a blocked Bloom filter say about the keys that are not in it.
//
// The model of blocked_sizing.h is the mean over all filters of a shape; a small one has few windows and may
// err twice as often, or half. Its bits tell exactly: a random key finds all bits of word i set with
// probability C(s, b) / C(64, b), where s of them are set and b are asked for, so
//
//   fpp = mean over windows of  prod_i C(s_i, b_i) / C(64, b_i)
#pragma once

#include "filter/blocked/blocked_kernel.h"

namespace bloomery {

// Returns the fpp of the bits as they are. Reads them once, at 1 to 2 GB/s (dense: a fifth of that).
double fpp_of_bits(const BlockedTable& table);

}  // namespace bloomery
