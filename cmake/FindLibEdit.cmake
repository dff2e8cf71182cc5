# Finds libedit, the line editor of parcelctl's shell; Debian's libedit-dev
# ships no CMake config. Defines LibEdit_FOUND and the imported target
# LibEdit::edit.
find_path(LibEdit_INCLUDE_DIR NAMES editline/readline.h)
find_library(LibEdit_LIBRARY NAMES edit)
mark_as_advanced(LibEdit_INCLUDE_DIR LibEdit_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibEdit
  REQUIRED_VARS LibEdit_INCLUDE_DIR LibEdit_LIBRARY)

if(LibEdit_FOUND AND NOT TARGET LibEdit::edit)
  add_library(LibEdit::edit UNKNOWN IMPORTED)
  set_target_properties(LibEdit::edit PROPERTIES
    IMPORTED_LOCATION "${LibEdit_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${LibEdit_INCLUDE_DIR}")
endif()
