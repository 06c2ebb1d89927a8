# `cmake --install`: a tree that works wherever it is moved to, as long as the
# system has the MLIR and LLVM libraries it was built with.
#
#   bin/        fovea, fovea-opt, fovea-lsp-server
#   lib/        libFovea.so, libfovea_runtime.so, cmake/Fovea/
#   include/    fovea/

include(CMakePackageConfigHelpers)

# Libraries are found relative to who loads them; LLVM's folder is none that the
# loader knows.
file(RELATIVE_PATH bin_to_lib ${CMAKE_INSTALL_FULL_BINDIR}
     ${CMAKE_INSTALL_FULL_LIBDIR})
set(FOVEA_INSTALL_RPATH $ORIGIN $ORIGIN/${bin_to_lib} ${LLVM_LIBRARY_DIR})

# fovea_install(TARGET): a tool or a library of the package.
function(fovea_install name)
  set_target_properties(${name} PROPERTIES
    INSTALL_RPATH "${FOVEA_INSTALL_RPATH}")
  install(TARGETS ${name} EXPORT FoveaTargets
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endfunction()

# Headers, and what find_package(Fovea) reads. The runtime installs itself.
function(fovea_install_package)
  foreach(root ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
    install(DIRECTORY ${root}/include/fovea
      DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
      FILES_MATCHING PATTERN "*.h" PATTERN "*.td" PATTERN "*.inc"
      PATTERN "CMakeFiles" EXCLUDE)
  endforeach()
  set(package ${CMAKE_INSTALL_LIBDIR}/cmake/Fovea)
  configure_package_config_file(
    ${PROJECT_SOURCE_DIR}/cmake/FoveaConfig.cmake.in
    ${PROJECT_BINARY_DIR}/package/FoveaConfig.cmake
    INSTALL_DESTINATION ${package})
  write_basic_package_version_file(
    ${PROJECT_BINARY_DIR}/package/FoveaConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/package/FoveaConfig.cmake
                ${PROJECT_BINARY_DIR}/package/FoveaConfigVersion.cmake
    DESTINATION ${package})
  install(EXPORT FoveaTargets NAMESPACE Fovea:: DESTINATION ${package})
endfunction()
