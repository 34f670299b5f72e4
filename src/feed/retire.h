// Ends a feed for good: what a stopped feeder leaves on the database's server and in its place is removed.
#pragma once

#include "bloomery/base/result.h"
#include "feed/feed_plan.h"
#include "feed/filter_sink.h"

namespace bloomery::feed {

// Drops the replication slot of the plan, which makes the server keep its log, and removes the filter. What is gone already is
// no error, so a call that failed can be repeated. Errors: kInvalidArgument if a feeder still follows the slot, or if the slot
// or the place belongs to something else; those of Connection and of FilterSink::remove().
Status retire(const FeedPlan& plan, FilterSink& sink);

}  // namespace bloomery::feed
