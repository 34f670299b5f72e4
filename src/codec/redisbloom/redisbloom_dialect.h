// The dialect of RedisBloom's BF.* filters, as BF.SCANDUMP returns them and BF.LOADCHUNK accepts them.
//
//   building  redisbloom[:expansion=N][,nonscaling]     BF.RESERVE with the plan's error rate and capacity
//   opening   redisbloom                                a stream of answers, or NAME.header (dump.h)
//
// Source: docs/formats/redisbloom.md. Not here: RDB files, cuckoo filters, valkey-bloom (a different format).
#pragma once

#include "codec/dialect.h"

namespace bloomery {

Dialect redisbloom_dialect();

}  // namespace bloomery
