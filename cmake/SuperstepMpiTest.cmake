# superstep_mpi_test(): one GoogleTest executable and a CTest for each number of ranks.
#
#   superstep_mpi_test(NAME exact_sum SOURCES exact_sum_test.cpp LIBRARIES Superstep::core RANKS 1 2 4
#                      [TIMEOUT 60] [LABELS core …] [THREADED])
#
# gives the tests exact_sum.ranks1, exact_sum.ranks2 and exact_sum.ranks4. A test passes when every rank passes
# (tests/support/mpi_test_main.cpp). TIMEOUT is in seconds (default 60) for a release build; sanitizers get more.
# THREADED marks tests in which a rank has several threads: label `threaded`, the suite of the tsan build.
# superstep_program_test() registers any command under the same limits and environment.

# Sanitizers slow a test down; the limit stretches with them.
set(superstep_timeout_scale "$ENV{SUPERSTEP_TEST_TIMEOUT_SCALE}") # the environment's value, if there is one
if(NOT superstep_timeout_scale)
  set(superstep_timeout_scale 1)
endif()
set(SUPERSTEP_TEST_TIMEOUT_SCALE ${superstep_timeout_scale} CACHE STRING "Multiplies the time limits of tests; for slow or busy machines")
set(SUPERSTEP_TEST_PREFIX) # what is put before a test executable
set(SUPERSTEP_TEST_TIMEOUT_FACTOR 1)
cmake_path(SET superstep_default_data NORMALIZE ${CMAKE_SOURCE_DIR}/../shared/data)
set(SUPERSTEP_TEST_DATA ${superstep_default_data} CACHE PATH
  "Directory with real graphs; tests that use them are skipped when it does not exist")
set(SUPERSTEP_TEST_ENVIRONMENT ${SUPERSTEP_MPI_ENVIRONMENT} GTEST_COLOR=no SUPERSTEP_TEST_DATA=${SUPERSTEP_TEST_DATA})

set(superstep_sanitizers ${CMAKE_SOURCE_DIR}/scripts/sanitizers)
if(CMAKE_BUILD_TYPE STREQUAL "Asan")
  set(SUPERSTEP_TEST_TIMEOUT_FACTOR 5)
  list(APPEND SUPERSTEP_TEST_ENVIRONMENT
    # The slow unwinder: MPI has no frame pointers, and a suppression matches only what the stack shows.
    "ASAN_OPTIONS=detect_leaks=1:detect_stack_use_after_return=1:strict_string_checks=1:fast_unwind_on_malloc=0"
    "LSAN_OPTIONS=suppressions=${superstep_sanitizers}/lsan.supp:print_suppressions=0"
    "UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1")
elseif(CMAKE_BUILD_TYPE STREQUAL "Tsan")
  set(SUPERSTEP_TEST_TIMEOUT_FACTOR 8)
  list(APPEND SUPERSTEP_TEST_ENVIRONMENT
    "TSAN_OPTIONS=suppressions=${superstep_sanitizers}/tsan.supp:ignore_noninstrumented_modules=1:halt_on_error=1")
  # Kernels with many random address bits place libraries where GCC's TSan does not expect them.
  execute_process(COMMAND setarch -R true RESULT_VARIABLE superstep_setarch OUTPUT_QUIET ERROR_QUIET)
  if(superstep_setarch EQUAL 0)
    set(SUPERSTEP_TEST_PREFIX setarch -R)
  endif()
endif()

# superstep_program_test(NAME n COMMAND … [RANKS r] [TIMEOUT s] [LABELS …] [CORES c]): a CTest for a command. With RANKS
# the command is started on that many ranks, else as it stands.
function(superstep_program_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;RANKS;TIMEOUT;CORES" "COMMAND;LABELS")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_NAME OR NOT arg_COMMAND)
    message(FATAL_ERROR "superstep_program_test(${arg_NAME}): NAME and COMMAND are needed; not understood: "
      "'${arg_UNPARSED_ARGUMENTS}'")
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 60)
  endif()
  math(EXPR limit "${arg_TIMEOUT} * ${SUPERSTEP_TEST_TIMEOUT_FACTOR} * ${SUPERSTEP_TEST_TIMEOUT_SCALE}")
  math(EXPR backstop "${limit} + 20") # only if the limit's own watchdog is itself stuck
  set(command ${arg_COMMAND})
  if(arg_RANKS)
    set(command ${MPIEXEC_EXECUTABLE} ${SUPERSTEP_MPI_LAUNCHER_FLAGS} ${MPIEXEC_NUMPROC_FLAG} ${arg_RANKS}
      ${SUPERSTEP_TEST_PREFIX} ${arg_COMMAND})
  endif()
  if(NOT arg_CORES)
    set(arg_CORES 1)
    if(arg_RANKS)
      set(arg_CORES ${arg_RANKS})
    endif()
  endif()
  add_test(NAME ${arg_NAME}
    COMMAND bash ${CMAKE_SOURCE_DIR}/tests/support/run_with_limit.sh ${arg_NAME} ${limit} ${command})
  set_tests_properties(${arg_NAME} PROPERTIES
    TIMEOUT ${backstop} PROCESSORS ${arg_CORES} ENVIRONMENT "${SUPERSTEP_TEST_ENVIRONMENT}" LABELS "${arg_LABELS}")
endfunction()

function(superstep_mpi_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "THREADED" "NAME;TIMEOUT" "SOURCES;LIBRARIES;RANKS;LABELS")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_NAME OR NOT arg_SOURCES OR NOT arg_RANKS)
    message(FATAL_ERROR "superstep_mpi_test(${arg_NAME}): NAME, SOURCES and RANKS are needed; not understood: "
      "'${arg_UNPARSED_ARGUMENTS}'")
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 60)
  endif()
  if(arg_THREADED)
    list(APPEND arg_LABELS threaded)
  endif()

  add_executable(${arg_NAME}_test ${arg_SOURCES})
  set_target_properties(${arg_NAME}_test PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests/bin)
  target_compile_definitions(${arg_NAME}_test PRIVATE
    SUPERSTEP_TEST_FILES="${CMAKE_SOURCE_DIR}/tests/data" SUPERSTEP_BIN_DIR="${CMAKE_BINARY_DIR}/bin")
  target_link_libraries(${arg_NAME}_test PRIVATE superstep_test_main ${arg_LIBRARIES} superstep_warnings)

  foreach(ranks IN LISTS arg_RANKS)
    set(cores ${ranks})
    if(arg_THREADED)
      math(EXPR cores "${ranks} * 2")
    endif()
    superstep_program_test(NAME ${arg_NAME}.ranks${ranks} COMMAND $<TARGET_FILE:${arg_NAME}_test> RANKS ${ranks}
      TIMEOUT ${arg_TIMEOUT} LABELS ${arg_LABELS} CORES ${cores})
  endforeach()
endfunction()
