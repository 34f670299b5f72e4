// Ends a feed for good: drops the slot of a stopped feeder and removes its filter.
#pragma once

#include "bloomery/base/result.h"
#include "feed/feed_plan.h"
#include "feed/filter_sink.h"

namespace bloomery::feed {

// Drops the replication slot, which makes the server keep its log, and removes the filter. The slot is the
// one that the plan names, else the one that the filter's file records, else plan.older_slot. A missing slot
// or filter is no error, so a failed call can be repeated. Errors:
//
//   kInvalidArgument   a feeder still follows the slot, or the slot, file or key belongs to something else,
//                      or the filter is fed from another slot
//   kNotFound          the plan names no slot, and the file that would name it is gone
//
// and those of Connection and of FilterSink::remove().
Status retire(const FeedPlan& plan, FilterSink& sink);

}  // namespace bloomery::feed
