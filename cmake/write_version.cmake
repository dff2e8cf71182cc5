# Script: writes OUTPUT from version.cpp.in, leaving it alone when unchanged.
set(GIT_COMMIT "unknown")
find_program(git NAMES git)
if(git)
  # Without this directory's own .git (a source tarball inside somebody else's
  # checkout) the commit of a stranger would be reported.
  if(EXISTS "${SOURCE_DIR}/.git")
    execute_process(COMMAND "${git}" rev-parse --short=12 HEAD
      WORKING_DIRECTORY "${SOURCE_DIR}" RESULT_VARIABLE failed
      OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(NOT failed)
      set(GIT_COMMIT "${commit}")
      execute_process(COMMAND "${git}" --no-optional-locks status --porcelain -uno
        WORKING_DIRECTORY "${SOURCE_DIR}" OUTPUT_VARIABLE dirty ERROR_QUIET)
      if(dirty)
        string(APPEND GIT_COMMIT "-dirty")
      endif()
    endif()
  endif()
endif()
configure_file("${CMAKE_CURRENT_LIST_DIR}/version.cpp.in" "${OUTPUT}" @ONLY)
