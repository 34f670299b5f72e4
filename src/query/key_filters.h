// Makes KeyFilters of what is open. Each gets the keys of its lines from `batch`.
//
// The caller has opened the filter, and has checked that the keys suit it (dialects/key_rule.h, and
// NativeFilter::key_treatment()).
#pragma once

#include <memory>

#include "bloomery/codec/dialect_filter.h"
#include "bloomery/dialects/cassandra_directory.h"
#include "bloomery/dialects/database.h"
#include "bloomery/filter/any_filter.h"
#include "bloomery/filter/leased_filter.h"
#include "connect/redis/client.h"
#include "connect/redis/filter_key.h"
#include "query/batch_keys.h"
#include "query/byte_keys.h"
#include "query/key_filter.h"

namespace bloomery {

// A filter of ours. A line may be in a block list if any of the line's questions may be.
std::unique_ptr<KeyFilter> make_key_filter(AnyFilter filter, BatchKeys& batch);
// A leased file. Every line may be in it while its lease is over.
std::unique_ptr<KeyFilter> make_key_filter(LeasedFilter filter, BatchKeys& batch);
// A filter of another system.
std::unique_ptr<KeyFilter> make_key_filter(std::unique_ptr<DialectFilter> filter,
                                           const DialectKeyMaking& making, BatchKeys& batch);
// A directory, queried as one filter. A file without a filter forces maybes.
std::unique_ptr<KeyFilter> make_key_filter(Database database, const DialectKeyMaking& making,
                                           BatchKeys& batch);
std::unique_ptr<KeyFilter> make_key_filter(CassandraDirectory directory, const DialectKeyMaking& making,
                                           BatchKeys& batch);
// A key of a server. All filters of the server share `client`.
std::unique_ptr<KeyFilter> make_key_filter(std::shared_ptr<redis::Client> client, redis::FilterKey filter,
                                           const KeyTreatment& treatment, BatchKeys& batch);

// A filter whose noes are not believed, since nothing proves them: every answer is a forced maybe.
std::unique_ptr<KeyFilter> make_unproven_filter(std::unique_ptr<KeyFilter> filter);

}  // namespace bloomery
