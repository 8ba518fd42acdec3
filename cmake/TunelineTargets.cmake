# What all targets share. Every target sees the tree from its root (includes read "analysis/trace/trace.h") through a
# PRIVATE include root; who may include whom is DESIGN section 3, checked by tests/unit/architecture.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()

find_program(TUNELINE_CCACHE ccache)
if(TUNELINE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Precompiled headers hit the cache only with these two (ccache manual, "Precompiled headers").
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env CCACHE_SLOPPINESS=pch_defines,time_macros "${TUNELINE_CCACHE}")
endif()

# Warnings, sanitizers and the include root that each target of ours gets.
function(tuneline_target target)
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wconversion -Wshadow $<$<BOOL:${TUNELINE_WERROR}>:-Werror>
                                           -fpch-preprocess)
  if(TUNELINE_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${TUNELINE_SANITIZE} -fno-omit-frame-pointer)
    target_link_options(${target} PRIVATE -fsanitize=${TUNELINE_SANITIZE})
  endif()
endfunction()

# tuneline_test(NAME tst_x SOURCES … LIBRARIES …): one Qt Test program, run offscreen, that fails when it hangs.
function(tuneline_test)
  cmake_parse_arguments(T "" "NAME;TIMEOUT" "SOURCES;LIBRARIES;LABELS" ${ARGN})
  add_executable(${T_NAME} ${T_SOURCES})
  tuneline_target(${T_NAME})
  set_target_properties(${T_NAME} PROPERTIES AUTOMOC ON)
  target_link_libraries(${T_NAME} PRIVATE Qt6::Test ${T_LIBRARIES})
  target_compile_definitions(${T_NAME} PRIVATE TUNELINE_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data"
                                               TUNELINE_BUILD_DIR="${CMAKE_BINARY_DIR}" TUNELINE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  add_test(NAME ${T_NAME} COMMAND ${T_NAME})
  if(NOT T_TIMEOUT)
    set(T_TIMEOUT 120)
  endif()
  set_tests_properties(${T_NAME} PROPERTIES TIMEOUT ${T_TIMEOUT} ENVIRONMENT "QT_QPA_PLATFORM=offscreen;LC_ALL=C.UTF-8")
  if(T_LABELS)
    set_tests_properties(${T_NAME} PROPERTIES LABELS "${T_LABELS}")
  endif()
endfunction()
