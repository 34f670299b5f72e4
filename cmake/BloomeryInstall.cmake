# cmake --install: the command, its manual page, the library, its licence, and what find_package(bloomery CONFIG) needs.
include(CMakePackageConfigHelpers)

set_target_properties(bloomery PROPERTIES EXPORT_NAME bloomery)
install(TARGETS bloomery bloomery_base bloomery_hash bloomery_filter EXPORT bloomery-targets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/bloomery DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES LICENSE CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(TARGET bloomery_codec) # the component codec; it needs zlib, libzstd, liblzma, libbz2, snappy and lz4
  install(TARGETS bloomery_codec bloomery_compress EXPORT bloomery-codec-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
if(TARGET bloomery_hfile) # the component hfile; it needs bloomery_compress, which comes with codec
  install(TARGETS bloomery_hfile EXPORT bloomery-hfile-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
if(TARGET bloomery_table) # the component table; it needs hfile, libnettle and libpcre2
  install(TARGETS bloomery_table EXPORT bloomery-table-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
if(TARGET bloomery_dialects) # the component dialects; it needs codec and hfile
  install(TARGETS bloomery_dialects EXPORT bloomery-dialects-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
if(TARGET bloomery_leveldb) # the component leveldb; it needs codec and LevelDB
  install(TARGETS bloomery_leveldb EXPORT bloomery-leveldb-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
if(TARGET bloomery_redis_module) # Debian's service runs nothing outside of /usr/lib, so the prefix is /usr there
  install(TARGETS bloomery_redis_module LIBRARY DESTINATION lib/bloomery COMPONENT redis_module
          PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
endif()
if(TARGET bloomery_command)
  install(TARGETS bloomery_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(FILES docs/bloomery.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()

set(config_folder ${CMAKE_INSTALL_LIBDIR}/cmake/bloomery)
install(EXPORT bloomery-targets NAMESPACE bloomery:: DESTINATION ${config_folder})
if(TARGET bloomery_codec)
  install(EXPORT bloomery-codec-targets NAMESPACE bloomery:: DESTINATION ${config_folder})
endif()
if(TARGET bloomery_hfile)
  install(EXPORT bloomery-hfile-targets NAMESPACE bloomery:: DESTINATION ${config_folder})
endif()
if(TARGET bloomery_table)
  install(EXPORT bloomery-table-targets NAMESPACE bloomery:: DESTINATION ${config_folder})
endif()
if(TARGET bloomery_dialects)
  install(EXPORT bloomery-dialects-targets NAMESPACE bloomery:: DESTINATION ${config_folder})
endif()
if(TARGET bloomery_leveldb)
  install(EXPORT bloomery-leveldb-targets NAMESPACE bloomery:: DESTINATION ${config_folder})
endif()
configure_package_config_file(cmake/bloomery-config.cmake.in ${PROJECT_BINARY_DIR}/bloomery-config.cmake
                              INSTALL_DESTINATION ${config_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/bloomery-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/bloomery-config.cmake ${PROJECT_BINARY_DIR}/bloomery-config-version.cmake
        DESTINATION ${config_folder})
