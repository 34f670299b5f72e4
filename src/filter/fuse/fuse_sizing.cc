#include "bloomery/filter/fuse_sizing.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "bloomery/filter/ribbon_sizing.h"
#include "filter/fuse/fuse_kernel.h"

namespace bloomery {
FuseCells fuse_cells(std::uint64_t, BlockedSetting) { return {}; }
}
