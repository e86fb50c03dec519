# Writes the OpenCL sources into one C++ header:
#   cmake -DKERNELS="DIR/ep/a.cl;DIR/fp/b.cl" -DROOT=DIR -DOUTPUT=FILE -P embed_kernels.cmake
# The text of ROOT/ep/a.cl becomes glint::kernels::ep_a. FILE is touched only if its content changes.
cmake_minimum_required(VERSION 3.25)

foreach(name KERNELS ROOT OUTPUT)
  if(NOT DEFINED ${name})
    message(FATAL_ERROR "embed_kernels.cmake: ${name} is missing")
  endif()
endforeach()

set(header "// Written by cmake/embed_kernels.cmake; edit the files in kernels/ instead.
#pragma once

#include <string_view>

namespace glint::kernels {
")

foreach(kernel IN LISTS KERNELS)
  get_filename_component(kernel "${kernel}" ABSOLUTE BASE_DIR "${ROOT}")
  file(RELATIVE_PATH relative "${ROOT}" "${kernel}")
  string(REGEX REPLACE "\\.cl$" "" identifier "${relative}")
  string(MAKE_C_IDENTIFIER "${identifier}" identifier)
  file(READ "${kernel}" text)
  string(FIND "${text}" ")cl\"" terminator)
  if(NOT terminator EQUAL -1)
    message(FATAL_ERROR "${relative}: contains the end mark of the raw string it is embedded as")
  endif()
  string(APPEND header "\ninline constexpr std::string_view ${identifier} = R\"cl(${text})cl\";\n")
endforeach()

string(APPEND header "\n}  // namespace glint::kernels\n")

# Written aside first: a build that is interrupted leaves no half header behind.
file(WRITE "${OUTPUT}.new" "${header}")
file(COPY_FILE "${OUTPUT}.new" "${OUTPUT}" ONLY_IF_DIFFERENT)
file(REMOVE "${OUTPUT}.new")
