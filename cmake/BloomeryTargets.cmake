# One target per folder of src/, all made alike.

# bloomery_options(TARGET): the warnings and language of our own code.
function(bloomery_options target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion
                                           -Wnon-virtual-dtor -Wold-style-cast -Wcast-qual -Wundef)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(${target} PRIVATE -Wno-restrict) # false alarms on string concatenation (GCC bug 105651)
    if(CMAKE_CXX_FLAGS MATCHES "-fsanitize")
      target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized) # false alarms in instrumented library code
    endif()
  endif()
  if(BLOOMERY_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()

# bloomery_compile_small(SOURCES...): sources off the hot paths. At -O3 GCC 12 copies the texts of their errors into every
# caller: the shared library of filters then has 1.79 MB, and with this 1.50 MB.
function(bloomery_compile_small)
  set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Release,RelWithDebInfo>:-O2>)
endfunction()

# bloomery_fuzzed(TARGET): counts edges for libFuzzer. Tests and the command go without, which compiles faster.
function(bloomery_fuzzed target)
  target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
endfunction()

# bloomery_add_library(LAYER SOURCES... [LINK libraries]): the target bloomery_LAYER.
function(bloomery_add_library layer)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  set(target bloomery_${layer})
  add_library(${target} STATIC ${ARG_UNPARSED_ARGUMENTS})
  bloomery_options(${target})
  if(layer MATCHES "^(base|hash|filter)$") # the shared library of filters leaves out what it does not call
    target_compile_options(${target} PRIVATE -ffunction-sections -fdata-sections)
  endif()
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON EXPORT_NAME ${layer})
  target_include_directories(
    ${target}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${target} PUBLIC ${ARG_LINK})
  if(layer STREQUAL "cli") # half of a sanitizer's compile time, and no fuzzer links it
    target_compile_options(${target} PRIVATE $<$<CONFIG:Debug>:-O0>)
  elseif(BLOOMERY_BUILD_FUZZ)
    bloomery_fuzzed(${target})
  endif()
endfunction()

# bloomery_add_executable(NAME SOURCES... [LINK libraries]): a program that may see the insides.
function(bloomery_add_executable name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  bloomery_options(${name})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
endfunction()
