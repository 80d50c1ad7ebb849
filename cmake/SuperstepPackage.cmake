# `cpack` in the build directory gives one Debian package with programs, headers, static libraries and completion:
# scripts/package.sh does it from a clone. What programs need at run time is read from the executables (dpkg-shlibdeps);
# what a user's own vertex program needs to compile is recommended.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME superstep)
set(CPACK_PACKAGE_CONTACT "Superstep <superstep@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
find_program(SUPERSTEP_SHLIBDEPS dpkg-shlibdeps)
mark_as_advanced(SUPERSTEP_SHLIBDEPS)
if(SUPERSTEP_SHLIBDEPS)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
endif()
set(CPACK_DEBIAN_PACKAGE_DEPENDS openmpi-bin)
string(JOIN ", " CPACK_DEBIAN_PACKAGE_RECOMMENDS g++ cmake libopenmpi-dev libboost-serialization-dev libhdf5-dev zlib1g-dev
  libzstd-dev libfmt-dev libspdlog-dev nlohmann-json3-dev libeigen3-dev)
include(CPack)
