// How the builds of static filters plan and build the shards of a ribbon.
#pragma once

#include "filter/ribbon/ribbon_directory.h"
#include "filter/ribbon/ribbon_shard.h"
#include "filter/shards/static_build.h"

namespace bloomery {

extern const StaticFamily kRibbonFamily;

}  // namespace bloomery
