# The library parcelflow_version: what src/support/version.hpp declares.
#
# Only one file depends on the git commit, it is rewritten only when the commit
# changed, and only the daemon links it: a commit costs one compile and one
# link, never a rebuild.
file(STRINGS "${OPENSSL_INCLUDE_DIR}/openssl/opensslv.h" openssl_line
     REGEX "define +OPENSSL_FULL_VERSION_STR +\"")
if(NOT openssl_line)
  set(PARCELFLOW_OPENSSL_VERSION "${OPENSSL_VERSION}")
else()
  string(REGEX REPLACE ".*\"(.*)\".*" "\\1"
         PARCELFLOW_OPENSSL_VERSION "${openssl_line}")
endif()

set(version_source "${PROJECT_BINARY_DIR}/generated/version.cpp")
set(version_command
  "${CMAKE_COMMAND}"
  -D "SOURCE_DIR=${PROJECT_SOURCE_DIR}"
  -D "OUTPUT=${version_source}"
  -D "PARCELFLOW_VERSION=${PARCELFLOW_VERSION}"
  -D "CAF_VERSION=${CAF_VERSION}"
  -D "ROCKSDB_VERSION=${RocksDB_VERSION}"
  -D "NLOHMANN_JSON_VERSION=${nlohmann_json_VERSION}"
  -D "BOOST_VERSION=${Boost_VERSION}"
  -D "OPENSSL_VERSION=${PARCELFLOW_OPENSSL_VERSION}"
  -P "${PROJECT_SOURCE_DIR}/cmake/write_version.cmake")
add_custom_target(parcelflow_version_source
  COMMAND ${version_command}
  BYPRODUCTS "${version_source}"
  COMMENT "" VERBATIM)

add_library(parcelflow_version STATIC "${version_source}"
  "${PROJECT_SOURCE_DIR}/src/support/version.hpp")
add_dependencies(parcelflow_version parcelflow_version_source)
target_link_libraries(parcelflow_version PRIVATE parcelflow_options)
