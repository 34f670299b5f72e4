// Marks functions of public headers that are to be part of their caller, whatever the compiler thinks of it.
//
// It is not only for speed. What such a function does may depend on the processor a translation unit is compiled for
// (__AVX2__, __AVX512F__). Since no copy of it stands by itself in an object file, the linker cannot choose the copy of
// one translation unit for another that was compiled for a lesser processor.
#pragma once

#define BLOOMERY_FORCE_INLINE [[gnu::always_inline]] inline
