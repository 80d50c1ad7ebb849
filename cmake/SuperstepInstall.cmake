# `cmake --install` gives headers, static libraries, programs and a CMake package, so that a user's own vertex program
# needs no more than find_package(Superstep REQUIRED) and Superstep::pregel (examples/).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(superstep_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Superstep)

# Options travel with the libraries: a program compiled without -ffp-contract=off would not give the same bits.
set_target_properties(superstep_options PROPERTIES EXPORT_NAME options)
set(superstep_exported superstep_options)
set(SUPERSTEP_INSTALLED_LIBRARIES)
foreach(library core collectives pregel ps)
  if(TARGET superstep_${library})
    list(APPEND superstep_exported superstep_${library})
    list(APPEND SUPERSTEP_INSTALLED_LIBRARIES ${library})
    install(DIRECTORY lib${library}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp")
    # Headers that configuring has made.
    install(DIRECTORY ${CMAKE_BINARY_DIR}/lib${library}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} OPTIONAL
      FILES_MATCHING PATTERN "*.hpp")
  endif()
endforeach()
install(TARGETS ${superstep_exported} EXPORT SuperstepTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT SuperstepTargets NAMESPACE Superstep:: DESTINATION ${superstep_package_dir})

# All that is installed, without tests and benchmarks: `cmake --build DIRECTORY --target programs` before `cmake --install`.
add_custom_target(programs)
list(TRANSFORM SUPERSTEP_INSTALLED_LIBRARIES PREPEND superstep_ OUTPUT_VARIABLE superstep_installed_targets)
add_dependencies(programs ${superstep_installed_targets})
foreach(program pregel pstrain ringbench graphgen supervise)
  if(TARGET ${program})
    add_dependencies(programs ${program})
    install(TARGETS ${program} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    install(FILES scripts/completion/superstep.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
      RENAME ${program})
  endif()
endforeach()

configure_package_config_file(cmake/SuperstepConfig.cmake.in ${CMAKE_BINARY_DIR}/SuperstepConfig.cmake
  INSTALL_DESTINATION ${superstep_package_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/SuperstepConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/SuperstepConfig.cmake ${CMAKE_BINARY_DIR}/SuperstepConfigVersion.cmake
  cmake/SuperstepHdf5.cmake cmake/SuperstepZstd.cmake DESTINATION ${superstep_package_dir})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL)
