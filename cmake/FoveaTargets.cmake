# add_fovea_library(NAME sources...): a part of libFovea. Object libraries, so
# that one shared library holds every type id exactly once and plugins agree
# with the tools about them.
function(add_fovea_library name)
  add_library(${name} OBJECT ${ARGN})
  fovea_configure_target(${name})
  add_dependencies(${name} FoveaIncGen)
  target_precompile_headers(${name} PRIVATE
    ${PROJECT_SOURCE_DIR}/lib/Precompiled.h)
  set_property(GLOBAL APPEND PROPERTY FOVEA_LIBRARIES ${name})
endfunction()

include(FoveaSanitize)

# Warnings and sanitizers of every target.
function(fovea_configure_target name)
  target_compile_options(${name} PRIVATE -Wall -Wextra
    $<$<BOOL:${FOVEA_WERROR}>:-Werror>
    # MLIR's generated code leaves parameters unused.
    -Wno-unused-parameter
    # g++ 12 sees overflows and overlaps in std::string that are not there.
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-stringop-overflow>
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-array-bounds>
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>)
  fovea_sanitize(${name})
endfunction()
