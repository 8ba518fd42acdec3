# libturbojpeg, as TurboJpeg::TurboJpeg. Looks in TUNELINE_EXTRA_INCLUDE and TUNELINE_EXTRA_LIB too (machines where it was
# only copied to); the library alone without its .so link is enough.
find_path(TurboJpeg_INCLUDE_DIR turbojpeg.h HINTS ${TUNELINE_EXTRA_INCLUDE})
find_library(TurboJpeg_LIBRARY NAMES turbojpeg libturbojpeg.so.0 HINTS ${TUNELINE_EXTRA_LIB})
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(TurboJpeg REQUIRED_VARS TurboJpeg_LIBRARY TurboJpeg_INCLUDE_DIR)
if(TurboJpeg_FOUND AND NOT TARGET TurboJpeg::TurboJpeg)
  add_library(TurboJpeg::TurboJpeg UNKNOWN IMPORTED)
  set_target_properties(TurboJpeg::TurboJpeg PROPERTIES IMPORTED_LOCATION "${TurboJpeg_LIBRARY}")
  get_filename_component(folder "${TurboJpeg_INCLUDE_DIR}" ABSOLUTE)
  if(NOT folder STREQUAL "/usr/include") # as a system include it would come before the compiler's own headers
    set_target_properties(TurboJpeg::TurboJpeg PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${folder}")
  endif()
endif()
mark_as_advanced(TurboJpeg_INCLUDE_DIR TurboJpeg_LIBRARY)
