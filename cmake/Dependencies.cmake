# Every library comes from Debian bookworm; docs/DEPENDENCIES.md says why each.
find_package(Threads REQUIRED)
find_package(OpenSSL 3.0 REQUIRED)
find_package(CAF 0.17 REQUIRED COMPONENTS core io)
find_package(RocksDB 7.8 CONFIG REQUIRED)
find_package(nlohmann_json 3.11 CONFIG REQUIRED)
find_package(spdlog 1.10 CONFIG REQUIRED)
find_package(prometheus-cpp CONFIG REQUIRED)
find_package(CLI11 2.1 CONFIG REQUIRED)
find_package(Boost 1.81 CONFIG REQUIRED)
find_package(LibEdit REQUIRED)
find_package(doctest 2.4 CONFIG REQUIRED)

# The allocator of the programs, in place of glibc's: rows are allocated on one
# thread and freed on another, and rounds are large. docs/BENCHMARKS.md has the
# figures. No symbol of it is named, so the linker must be told to keep it.
add_library(parcelflow_allocator INTERFACE)
if(NOT PARCELFLOW_SANITIZE)
  find_package(mimalloc 2.0 CONFIG REQUIRED)
  target_link_options(parcelflow_allocator INTERFACE -Wl,--no-as-needed)
  target_link_libraries(parcelflow_allocator INTERFACE mimalloc)
endif()
