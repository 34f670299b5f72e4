// Marks functions of public headers that must be inlined into their caller, whatever the compiler would
// choose.
//
// Speed is not the only reason. The body of such a function may depend on the processor that a translation
// unit is compiled for (__AVX2__, __AVX512F__). Without an out-of-line copy in any object file, the linker
// cannot choose the copy of one translation unit for another that was compiled for an older processor.
#pragma once

#define BLOOMERY_FORCE_INLINE [[gnu::always_inline]] inline
