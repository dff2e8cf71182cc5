# Language, warnings, linker and compiler cache: one interface library that
# every target of ours links, so that nothing of it reaches foreign code.
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug or Release" FORCE)
endif()
# Assertions are part of the product: no build type defines NDEBUG. Set here
# and not in the presets, so that a plain `cmake -B` build agrees with them.
set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g")
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -g1")

option(PARCELFLOW_SANITIZE "Build with the address and UB sanitizers" OFF)

add_library(parcelflow_options INTERFACE)
target_compile_features(parcelflow_options INTERFACE cxx_std_20)
set(CMAKE_CXX_EXTENSIONS OFF)
target_include_directories(parcelflow_options
  INTERFACE "${PROJECT_SOURCE_DIR}/src")
set(PARCELFLOW_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 reports std::string's own operator+ (GCC bug 105651).
  list(APPEND PARCELFLOW_WARNINGS -Wno-restrict)
endif()
target_compile_options(parcelflow_options INTERFACE ${PARCELFLOW_WARNINGS})
if(PARCELFLOW_FAULT_POINTS)
  target_compile_definitions(parcelflow_options
    INTERFACE PARCELFLOW_FAULT_POINTS)
endif()
if(PARCELFLOW_SANITIZE)
  # `null` is off: CAF 0.17 forms references from null in its own headers.
  set(flags -fsanitize=address,undefined -fno-sanitize=null
            -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # With sanitizers GCC 12 reports std::regex's own code (GCC bug 105562).
    list(APPEND flags -Wno-maybe-uninitialized)
  endif()
  target_compile_options(parcelflow_options INTERFACE ${flags})
  target_link_options(parcelflow_options INTERFACE ${flags})
endif()

find_program(PARCELFLOW_LLD NAMES ld.lld)
if(PARCELFLOW_LLD)
  target_link_options(parcelflow_options INTERFACE -fuse-ld=lld)
endif()

find_program(PARCELFLOW_CCACHE NAMES ccache)
if(PARCELFLOW_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${PARCELFLOW_CCACHE}")
endif()
