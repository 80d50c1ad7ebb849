# Superstep::zstd: libzstd, which comes with a CMake package on some systems only. Used by the installed package too,
# because a static libpregel needs the library again when it is linked.
if(NOT TARGET Superstep::zstd)
  find_path(SUPERSTEP_ZSTD_INCLUDE_DIR zstd.h)
  find_library(SUPERSTEP_ZSTD_LIBRARY zstd)
  mark_as_advanced(SUPERSTEP_ZSTD_INCLUDE_DIR SUPERSTEP_ZSTD_LIBRARY)
  if(NOT SUPERSTEP_ZSTD_INCLUDE_DIR OR NOT SUPERSTEP_ZSTD_LIBRARY)
    message(FATAL_ERROR "zstd not found: install libzstd-dev (scripts/install_dependencies.sh does)")
  endif()
  add_library(Superstep::zstd UNKNOWN IMPORTED)
  set_target_properties(Superstep::zstd PROPERTIES IMPORTED_LOCATION ${SUPERSTEP_ZSTD_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${SUPERSTEP_ZSTD_INCLUDE_DIR})
endif()
