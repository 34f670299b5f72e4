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

# bloomery_units(VARIABLE NAME SOURCES... [SMALL sources] [ALONE sources]): what to compile for a target. Sources are gathered
# into translation units of about BLOOMERY_UNIT_BYTES of code, named NAME_1, NAME_2 ... A header is then read once a unit and not
# once a source, and names in unnamed namespaces are unique in a folder. With BLOOMERY_UNITY=OFF each source is a unit.
#
#   SOURCES  on hot paths
#   SMALL    off the hot paths, in units of their own (NAME_small_1 ...). At -O3 GCC 12 copies the texts of their errors into
#            every caller: the shared library of filters then has 1.79 MB, and with -O2 1.50 MB.
#   ALONE    not gathered: kernels, whose code is to be the same whatever is compiled with them
function(bloomery_units variable name)
  cmake_parse_arguments(ARG "" "" "SMALL;ALONE" ${ARGN})
  bloomery_gather(units ${name} ${ARG_UNPARSED_ARGUMENTS})
  bloomery_gather(small ${name}_small ${ARG_SMALL})
  set_property(SOURCE ${small} APPEND PROPERTY COMPILE_OPTIONS $<$<CONFIG:Release,RelWithDebInfo>:-O2>)
  if(BLOOMERY_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC inlines less where a unit is large. A scan of an HFile then executes 29 % more instructions.
    set_property(SOURCE ${units} APPEND PROPERTY COMPILE_OPTIONS --param=large-unit-insns=200000)
  endif()
  set(${variable} ${units} ${small} ${ARG_ALONE} PARENT_SCOPE)
endfunction()

# bloomery_gather(VARIABLE NAME SOURCES...): the units of these sources.
function(bloomery_gather variable name)
  if(NOT BLOOMERY_UNITY)
    set(${variable} ${ARGN} PARENT_SCOPE)
    return()
  endif()
  set(units "")
  set(code "")
  set(bytes 0)
  set(sources ${ARGN})
  while(sources)
    list(POP_FRONT sources source)
    cmake_path(ABSOLUTE_PATH source NORMALIZE)
    file(SIZE ${source} source_bytes)
    math(EXPR bytes "${bytes} + ${source_bytes}")
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    string(APPEND code "#include \"${source}\"\n") # relative, lest the compiler cache sees another file in each clone
    if(bytes GREATER BLOOMERY_UNIT_BYTES OR NOT sources)
      list(LENGTH units number)
      math(EXPR number "${number} + 1")
      set(unit ${CMAKE_CURRENT_BINARY_DIR}/units/${name}_${number}.cc)
      file(CONFIGURE OUTPUT ${unit} CONTENT "${code}" @ONLY)
      list(APPEND units ${unit})
      set(code "")
      set(bytes 0)
    endif()
  endwhile()
  set(${variable} ${units} PARENT_SCOPE)
endfunction()

# bloomery_fuzzed(TARGET): counts edges for libFuzzer. Tests and the command go without, which compiles faster.
function(bloomery_fuzzed target)
  target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
endfunction()

# bloomery_add_library(LAYER SOURCES... [SMALL sources] [ALONE sources] [LINK libraries]): the target bloomery_LAYER, of the
# units that bloomery_units() makes.
function(bloomery_add_library layer)
  cmake_parse_arguments(ARG "" "" "LINK;SMALL;ALONE" ${ARGN})
  set(target bloomery_${layer})
  bloomery_units(units ${layer} ${ARG_UNPARSED_ARGUMENTS} SMALL ${ARG_SMALL} ALONE ${ARG_ALONE})
  add_library(${target} STATIC ${units})
  bloomery_options(${target})
  # A program leaves out what it does not call, though a unit has more than that.
  target_compile_options(${target} PRIVATE -ffunction-sections -fdata-sections)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON EXPORT_NAME ${layer})
  target_include_directories(
    ${target}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR})
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
  target_link_options(${name} PRIVATE -Wl,--gc-sections)
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
endfunction()
