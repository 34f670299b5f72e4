// The kernels of Cassandra's probes (cassandra_probes.h): the scalar definition and AVX-512.
//
// Each is a row of the table in cassandra_kernel.cc. Source of the positions: docs/formats/cassandra.md.
#pragma once

#include <span>

#include "codec/cassandra/cassandra_probes.h"
#include "codec/probe_kernel.h"

namespace bloomery {

using CassandraKernel = ProbeKernel<CassandraProbes>;

// Returns all kernels of this build. The definition is the last.
std::span<const CassandraKernel> cassandra_kernels();

// Returns the first kernel that this machine can run, or the kernel that the environment variable
// BLOOMERY_KERNEL names, if the machine can run that one.
const CassandraKernel& chosen_cassandra_kernel();

extern const CassandraKernel kAvx512CassandraKernel;

}  // namespace bloomery
