# Finds the serial HDF5 C library and gives it as hdf5::hdf5.
#
# CMake's own FindHDF5 asks the compiler wrapper h5cc, which on Debian is whichever HDF5 was installed last, serial or
# parallel, and it needs the C language in the user's project. So Debian's serial directories and HDF5_ROOT are looked at
# first; FindHDF5 is asked only where that finds nothing. Installed with the package: users of Superstep need it too.
if(NOT TARGET hdf5::hdf5)
  find_path(SUPERSTEP_HDF5_INCLUDE_DIR hdf5.h
    HINTS ${HDF5_ROOT} ENV HDF5_ROOT ENV HDF5_DIR PATH_SUFFIXES include hdf5/serial)
  find_library(SUPERSTEP_HDF5_LIBRARY NAMES hdf5_serial hdf5
    HINTS ${HDF5_ROOT} ENV HDF5_ROOT ENV HDF5_DIR PATH_SUFFIXES lib lib64 hdf5/serial)
  mark_as_advanced(SUPERSTEP_HDF5_INCLUDE_DIR SUPERSTEP_HDF5_LIBRARY)
  if(SUPERSTEP_HDF5_INCLUDE_DIR AND SUPERSTEP_HDF5_LIBRARY)
    add_library(hdf5::hdf5 UNKNOWN IMPORTED)
    set_target_properties(hdf5::hdf5 PROPERTIES
      IMPORTED_LOCATION ${SUPERSTEP_HDF5_LIBRARY}
      INTERFACE_INCLUDE_DIRECTORIES ${SUPERSTEP_HDF5_INCLUDE_DIR})
  else()
    find_package(HDF5 REQUIRED COMPONENTS C)
    if(NOT TARGET hdf5::hdf5)
      add_library(hdf5::hdf5 INTERFACE IMPORTED)
      target_include_directories(hdf5::hdf5 INTERFACE ${HDF5_C_INCLUDE_DIRS})
      target_link_libraries(hdf5::hdf5 INTERFACE ${HDF5_C_LIBRARIES})
    endif()
  endif()
endif()
