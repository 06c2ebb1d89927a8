# FOVEA_SANITIZE, a list such as `address,undefined`, for every target of Fovea
# and of the runtime alone.

set(FOVEA_SANITIZER_OPTIONS ${CMAKE_CURRENT_LIST_DIR}/SanitizerOptions.cpp)

# fovea_sanitize(TARGET): a finding ends the program, so that tests see it.
function(fovea_sanitize name)
  if(NOT FOVEA_SANITIZE)
    return()
  endif()
  target_compile_options(${name} PRIVATE -fsanitize=${FOVEA_SANITIZE}
    -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(${name} PRIVATE -fsanitize=${FOVEA_SANITIZE})
  get_target_property(type ${name} TYPE)
  if(type STREQUAL EXECUTABLE)
    target_sources(${name} PRIVATE ${FOVEA_SANITIZER_OPTIONS})
  endif()
endfunction()
