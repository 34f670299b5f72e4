// Cells in the order of a scan become HFiles that HBase loads: DIR/FAMILY/FILE, all at once or none.
//
//   BulkLoadDirectory::create   BulkLoadWriter(directory, plan)   append* finish   directory.commit
//
// Nothing of a run is where HBase would look until commit(). Several writers, on a thread each, may share a
// directory: one for each region, say, told apart by SplitKeys.
#pragma once

#include "bloomery/table/bulk_load_directory.h"
#include "bloomery/table/bulk_load_writer.h"
#include "bloomery/table/split_keys.h"
