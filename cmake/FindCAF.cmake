# Finds the C++ Actor Framework where Debian's libcaf-dev puts it; the package
# ships no CMake config of its own. Components: core, io.
# Defines CAF_FOUND, CAF_VERSION and the imported targets CAF::core, CAF::io.
find_path(CAF_INCLUDE_DIR NAMES caf/config.hpp)
mark_as_advanced(CAF_INCLUDE_DIR)

if(CAF_INCLUDE_DIR)
  # `#define CAF_VERSION 1706` is major * 10000 + minor * 100 + patch.
  file(STRINGS "${CAF_INCLUDE_DIR}/caf/config.hpp" line
       REGEX "^#define CAF_VERSION [0-9]+$")
  string(REGEX REPLACE "^#define CAF_VERSION " "" number "${line}")
  math(EXPR major "${number} / 10000")
  math(EXPR minor "${number} / 100 % 100")
  math(EXPR patch "${number} % 100")
  set(CAF_VERSION "${major}.${minor}.${patch}")
endif()

foreach(component IN LISTS CAF_FIND_COMPONENTS)
  find_library(CAF_${component}_LIBRARY NAMES caf_${component})
  mark_as_advanced(CAF_${component}_LIBRARY)
  if(CAF_${component}_LIBRARY)
    set(CAF_${component}_FOUND TRUE)
  endif()
endforeach()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CAF
  REQUIRED_VARS CAF_INCLUDE_DIR
  VERSION_VAR CAF_VERSION
  HANDLE_COMPONENTS)

if(CAF_FOUND)
  find_package(Threads REQUIRED)
  foreach(component IN LISTS CAF_FIND_COMPONENTS)
    if(NOT TARGET CAF::${component})
      add_library(CAF::${component} UNKNOWN IMPORTED)
      set_target_properties(CAF::${component} PROPERTIES
        IMPORTED_LOCATION "${CAF_${component}_LIBRARY}"
        INTERFACE_INCLUDE_DIRECTORIES "${CAF_INCLUDE_DIR}"
        INTERFACE_LINK_LIBRARIES Threads::Threads)
    endif()
  endforeach()
  if(TARGET CAF::io)
    set_property(TARGET CAF::io APPEND
      PROPERTY INTERFACE_LINK_LIBRARIES CAF::core)
  endif()
endif()
