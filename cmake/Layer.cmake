# parcelflow_add_layer(<name> [PUBLIC target...] [PRIVATE target...])
#
# The static library parcelflow_<name> of src/<name>/*.cpp. A folder that has
# no source file yet becomes an interface library, so that a checkout always
# configures. A program's main.cpp belongs to no layer.
function(parcelflow_add_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "PUBLIC;PRIVATE")
  file(GLOB sources CONFIGURE_DEPENDS
       "${PROJECT_SOURCE_DIR}/src/${name}/*.cpp")
  list(FILTER sources EXCLUDE REGEX "/(app|cli)/main\\.cpp$")
  set(target parcelflow_${name})
  if(sources)
    add_library(${target} STATIC ${sources})
    target_link_libraries(${target}
      PUBLIC ${arg_PUBLIC} PRIVATE parcelflow_options ${arg_PRIVATE})
  else()
    add_library(${target} INTERFACE)
    target_link_libraries(${target} INTERFACE ${arg_PUBLIC})
  endif()
endfunction()
