# How tests become ctest entries.
#
# tests/<folder>/*.cpp is one executable `test_<folder>`; each *_test.cpp in it
# is one ctest entry `<folder>/<name>` with the label <folder> and a time limit.
# tests/<layer> links that layer only, so it builds while others do not; every
# other folder links the whole program. tests/support is shared by all.
set(PARCELFLOW_TEST_TIMEOUT_S 120)
set(PARCELFLOW_LAYERS support domain codec storage bus actors http ops cli app)

function(parcelflow_add_test_support)
  file(GLOB sources CONFIGURE_DEPENDS
       "${PROJECT_SOURCE_DIR}/tests/support/*.cpp")
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")
  add_library(parcelflow_test_support STATIC ${sources})
  # Its objects may use any layer: an archive member is linked only where a
  # test refers to it, and that test's executable brings the layer along.
  target_link_libraries(parcelflow_test_support
    PUBLIC parcelflow_options doctest::doctest Threads::Threads)
  target_include_directories(parcelflow_test_support
    PUBLIC "${PROJECT_SOURCE_DIR}")
endfunction()

function(parcelflow_add_test_folder folder)
  file(GLOB sources CONFIGURE_DEPENDS
       "${PROJECT_SOURCE_DIR}/tests/${folder}/*.cpp")
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  if(NOT tests)
    return()
  endif()
  if(folder STREQUAL "support")
    set(sources ${tests})
  endif()

  set(target test_${folder})
  add_executable(${target} ${sources})
  target_link_libraries(${target} PRIVATE parcelflow_test_support)
  if(folder IN_LIST PARCELFLOW_LAYERS)
    target_link_libraries(${target} PRIVATE parcelflow_${folder})
  else()
    target_link_libraries(${target} PRIVATE parcelflow_app)
    foreach(program IN ITEMS parcelflow parcelctl)
      if(TARGET ${program})
        add_dependencies(${target} ${program})
      endif()
    endforeach()
  endif()

  foreach(test IN LISTS tests)
    cmake_path(GET test STEM name)
    string(REGEX REPLACE "_test$" "" name "${name}")
    set(entry "${folder}/${name}")
    add_test(NAME ${entry}
      COMMAND ${target} "--source-file=*/tests/${folder}/${name}_test.cpp"
      WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
    # doctest is content when its filter matches nothing; we are not.
    set_tests_properties(${entry} PROPERTIES
      TIMEOUT ${PARCELFLOW_TEST_TIMEOUT_S}
      LABELS "${folder}"
      FAIL_REGULAR_EXPRESSION "test cases: +0 ")
    if(TARGET parcelflow)
      set_property(TEST ${entry} APPEND PROPERTY ENVIRONMENT
        "PARCELFLOW_BIN=$<TARGET_FILE:parcelflow>")
    endif()
    if(TARGET parcelctl)
      set_property(TEST ${entry} APPEND PROPERTY ENVIRONMENT
        "PARCELCTL_BIN=$<TARGET_FILE:parcelctl>")
    endif()
    set_property(TEST ${entry} APPEND PROPERTY ENVIRONMENT
      "PARCELFLOW_SOURCE_DIR=${PROJECT_SOURCE_DIR}")
    # What runs the whole engine, by itself or through a header of its folder,
    # also runs with each owner's batch its own.
    file(STRINGS "${test}" runs_world
         REGEX "\"tests/.*(world|scenario|crash|consumer_contract)\\.hpp\"")
    if(runs_world)
      add_test(NAME "${entry}_per_owner"
        COMMAND ${target} "--source-file=*/tests/${folder}/${name}_test.cpp"
        WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
      set_tests_properties("${entry}_per_owner" PROPERTIES
        TIMEOUT ${PARCELFLOW_TEST_TIMEOUT_S}
        LABELS "${folder}"
        FAIL_REGULAR_EXPRESSION "test cases: +0 "
        ENVIRONMENT "PARCELFLOW_TEST_COMMITTER=per_owner")
      set_property(TEST "${entry}_per_owner" APPEND PROPERTY ENVIRONMENT
        "PARCELFLOW_SOURCE_DIR=${PROJECT_SOURCE_DIR}")
      if(TARGET parcelflow)
        set_property(TEST "${entry}_per_owner" APPEND PROPERTY ENVIRONMENT
          "PARCELFLOW_BIN=$<TARGET_FILE:parcelflow>")
      endif()
    endif()
  endforeach()
endfunction()

# add_compile_fail_test(<name> <source> "<expected diagnostic regex>")
#
# Passes if <source> compiles with -DPARCELFLOW_COMPILE_CONTROL, and without it
# fails with a diagnostic that matches: so the failure has the right reason.
function(add_compile_fail_test name source regex)
  cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
  set(entry "compile_fail/${name}")
  add_test(NAME ${entry}
    COMMAND "${CMAKE_COMMAND}" -D "COMPILER=${CMAKE_CXX_COMPILER}"
      -D "SOURCE=${source}" -D "SOURCE_DIR=${PROJECT_SOURCE_DIR}"
      -D "REGEX=${regex}" -P "${PROJECT_SOURCE_DIR}/cmake/compile_fail.cmake")
  set_tests_properties(${entry} PROPERTIES
    TIMEOUT ${PARCELFLOW_TEST_TIMEOUT_S} LABELS compile_fail)
endfunction()

function(parcelflow_add_tests)
  parcelflow_add_test_support()
  # Adding a folder needs a configure run; adding a file does not.
  file(GLOB folders CONFIGURE_DEPENDS LIST_DIRECTORIES true
       RELATIVE "${PROJECT_SOURCE_DIR}/tests" "${PROJECT_SOURCE_DIR}/tests/*")
  foreach(folder IN LISTS folders)
    set(path "${PROJECT_SOURCE_DIR}/tests/${folder}")
    if(EXISTS "${path}/CMakeLists.txt")
      add_subdirectory("${path}" "${PROJECT_BINARY_DIR}/tests/${folder}")
    elseif(IS_DIRECTORY "${path}")
      parcelflow_add_test_folder(${folder})
    endif()
  endforeach()
endfunction()
