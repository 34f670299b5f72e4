// How the builds of static filters plan and build the shards of a fuse filter.
#pragma once

#include "filter/shards/static_build.h"

namespace bloomery {

extern const StaticFamily kFuseFamily;

}  // namespace bloomery
