# Flags every target shares. Bit-identical results rest on two of them: -ffp-contract=off (GCC would fuse multiply and
# add in some loops and not in others) and the absence of -ffast-math.
add_library(superstep_options INTERFACE)
target_compile_features(superstep_options INTERFACE cxx_std_20)
target_compile_options(superstep_options INTERFACE -ffp-contract=off)
if(SUPERSTEP_NATIVE)
  target_compile_options(superstep_options INTERFACE -march=native)
endif()
# Warnings concern our own sources only, so they are not exported to users of the installed package.
add_library(superstep_warnings INTERFACE)
# Errors except under the sanitizers, whose instrumentation makes GCC warn of what is not there.
target_compile_options(superstep_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor $<$<NOT:$<CONFIG:Asan,Tsan>>:-Werror>)
# GCC 12 sees an overlapping copy in every inlined `"text" + std::string` (GCC bug 105651, mended in 13).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(superstep_warnings INTERFACE -Wno-restrict)
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

set(CMAKE_CXX_FLAGS_RELEASE "-O3 -DNDEBUG")
set(CMAKE_CXX_FLAGS_DEBUG "-O0 -g")
set(CMAKE_CXX_FLAGS_COVERAGE "-O1 -g --coverage -fprofile-update=atomic")
set(CMAKE_CXX_FLAGS_ASAN "-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer")
set(CMAKE_CXX_FLAGS_TSAN "-O1 -g -fsanitize=thread -fno-omit-frame-pointer")

if(SUPERSTEP_CCACHE)
  find_program(SUPERSTEP_CCACHE_PROGRAM ccache)
  if(SUPERSTEP_CCACHE_PROGRAM)
    set(CMAKE_C_COMPILER_LAUNCHER ${SUPERSTEP_CCACHE_PROGRAM})
    set(CMAKE_CXX_COMPILER_LAUNCHER ${SUPERSTEP_CCACHE_PROGRAM})
  endif()
endif()

# Every executable of the asan build (not the libraries) gets the definition that plug-ins must find in it.
if(CMAKE_BUILD_TYPE STREQUAL "Asan")
  set(superstep_keep_modules ${CMAKE_CURRENT_SOURCE_DIR}/scripts/sanitizers/keep_modules_loaded.cpp)
  target_sources(superstep_options INTERFACE
    $<BUILD_INTERFACE:$<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:${superstep_keep_modules}>>)
  set(CMAKE_ENABLE_EXPORTS ON)
endif()
