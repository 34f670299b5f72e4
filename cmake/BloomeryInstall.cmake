# cmake --install: the command, its manual page, the library, its licence, and what find_package(bloomery CONFIG) needs.
include(CMakePackageConfigHelpers)

set_target_properties(bloomery PROPERTIES EXPORT_NAME bloomery)
install(TARGETS bloomery bloomery_base bloomery_hash bloomery_filter EXPORT bloomery-targets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/bloomery DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES LICENSE CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

# The components. bloomery-config.cmake.in says of which others each is made, and which libraries it links.
set(config_folder ${CMAKE_INSTALL_LIBDIR}/cmake/bloomery)
set(goes_with_codec bloomery_compress)
set(goes_with_table bloomery_wal)
foreach(component IN ITEMS codec hfile table store dialects leveldb guard connect memcached)
  if(TARGET bloomery_${component})
    install(TARGETS bloomery_${component} ${goes_with_${component}} EXPORT bloomery-${component}-targets
            ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
    install(EXPORT bloomery-${component}-targets NAMESPACE bloomery:: DESTINATION ${config_folder})
  endif()
endforeach()
if(TARGET bloomery_redis_module) # Debian's service runs nothing outside of /usr/lib, so the prefix is /usr there
  install(TARGETS bloomery_redis_module LIBRARY DESTINATION lib/bloomery COMPONENT redis_module
          PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
endif()
if(TARGET bloomery_command)
  install(TARGETS bloomery_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(FILES docs/bloomery.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  configure_file(packaging/systemd/bloomery-feed@.service.in bloomery-feed@.service @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/bloomery-feed@.service DESTINATION lib/systemd/system)
  install(FILES packaging/systemd/bloomery.sysusers DESTINATION lib/sysusers.d RENAME bloomery.conf)
endif()
if(TARGET bloomery_command AND NOT CMAKE_CROSSCOMPILING) # shells look for these in folders of their own packages
  foreach(script bash:bash-completion/completions/bloomery zsh:zsh/vendor-completions/_bloomery
                 fish:fish/vendor_completions.d/bloomery.fish)
    string(REGEX MATCH "^([a-z]+):(.*)/([^/]+)$" matched ${script})
    set(completions ${PROJECT_BINARY_DIR}/completions/${CMAKE_MATCH_1})
    add_custom_command(OUTPUT ${completions}/${CMAKE_MATCH_3}
                       COMMAND ${CMAKE_COMMAND} -E make_directory ${completions}
                       COMMAND bloomery_command completion ${CMAKE_MATCH_1} > ${completions}/${CMAKE_MATCH_3}
                       DEPENDS bloomery_command VERBATIM)
    list(APPEND completion_scripts ${completions}/${CMAKE_MATCH_3})
    install(FILES ${completions}/${CMAKE_MATCH_3} DESTINATION ${CMAKE_INSTALL_DATADIR}/${CMAKE_MATCH_2})
  endforeach()
  add_custom_target(completions ALL DEPENDS ${completion_scripts})
endif()

# From the folder of the .pc files back to the prefix, which may be another one at each installation.
file(RELATIVE_PATH pkgconfig_to_prefix "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
if(TARGET bloomery_c) # the C interface: the component c, and pkg-config
  configure_file(cmake/bloomery.pc.in ${PROJECT_BINARY_DIR}/bloomery.pc @ONLY)
  install(TARGETS bloomery_c EXPORT bloomery-c-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(TARGETS bloomery_c_static ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(FILES include/bloomery.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(FILES ${PROJECT_BINARY_DIR}/bloomery.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()
if(TARGET bloomery_c_files) # the component c_files
  configure_file(cmake/bloomery-files.pc.in ${PROJECT_BINARY_DIR}/bloomery-files.pc @ONLY)
  install(TARGETS bloomery_c_files EXPORT bloomery-c_files-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(TARGETS bloomery_c_files_static ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(FILES ${PROJECT_BINARY_DIR}/bloomery-files.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()

install(EXPORT bloomery-targets NAMESPACE bloomery:: DESTINATION ${config_folder})
if(TARGET bloomery_c)
  install(EXPORT bloomery-c-targets NAMESPACE bloomery:: DESTINATION ${config_folder})
endif()
if(TARGET bloomery_c_files)
  install(EXPORT bloomery-c_files-targets NAMESPACE bloomery:: DESTINATION ${config_folder})
endif()
configure_package_config_file(cmake/bloomery-config.cmake.in ${PROJECT_BINARY_DIR}/bloomery-config.cmake
                              INSTALL_DESTINATION ${config_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/bloomery-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/bloomery-config.cmake ${PROJECT_BINARY_DIR}/bloomery-config-version.cmake
        DESTINATION ${config_folder})
