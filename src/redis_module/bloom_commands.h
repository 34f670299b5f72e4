// The commands BLOOM.*, which no other module has.
//
//   BLOOM.CREATE key [CAPACITY n] [ERROR r] [BYTES n] [EXPANSION n] [NONSCALING] [KEYED] [LAYOUT name]
//                    [SEED n] [SECRET hex] [BUCKETSIZE n] [MAXITERATIONS n]
//   BLOOM.ADD key item            BLOOM.MADD key item...         same as BF.ADD and BF.MADD
//   BLOOM.EXISTS key item         BLOOM.MEXISTS key item...      an error for a missing key or another type
//   BLOOM.INFO key                BLOOM.CARD key                 BLOOM.ESTIMATE key
//   BLOOM.REMOVE key item...      BLOOM.COUNT key item           for keys of the layout quotient
//   BLOOM.UNION destination source...
//   BLOOM.LEASE key MS            BLOOM.LEASE key AT unix-ms
//   BLOOM.SCANDUMP, BLOOM.LOADCHUNK                              same as BF.SCANDUMP and BF.LOADCHUNK
//
// Source: docs/redis.md.
#pragma once

#include <span>

#include "redis_module/command_list.h"

namespace bloomery::redis_module {

std::span<const CommandRow> bloom_commands();

}  // namespace bloomery::redis_module
