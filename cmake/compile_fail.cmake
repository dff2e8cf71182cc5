# Script of add_compile_fail_test: COMPILER, SOURCE, SOURCE_DIR, REGEX.
set(ENV{LC_ALL} C) # the expected diagnostics are English
set(compile "${COMPILER}" -std=c++20 -fsyntax-only -DPARCELFLOW_FAULT_POINTS
  "-I${SOURCE_DIR}/src" "-I${SOURCE_DIR}")

execute_process(COMMAND ${compile} -DPARCELFLOW_COMPILE_CONTROL "${SOURCE}"
  RESULT_VARIABLE control_failed ERROR_VARIABLE output)
if(control_failed)
  message(FATAL_ERROR "The control must compile, and does not:\n${output}")
endif()

execute_process(COMMAND ${compile} "${SOURCE}"
  RESULT_VARIABLE failed ERROR_VARIABLE output)
if(NOT failed)
  message(FATAL_ERROR "${SOURCE} compiles, and must not")
endif()
if(NOT output MATCHES "${REGEX}")
  message(FATAL_ERROR "Fails for another reason than /${REGEX}/:\n${output}")
endif()
