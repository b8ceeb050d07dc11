# SPDX-License-Identifier: GPL-3.0-or-later
# A name for what sources compute, that changes with them.
#
#   tailmark_name_sources(TARGET NAME FILE...)    adds to TARGET the function
#   std::string_view tailmark::NAME();    a hash of the text of the files
#
# Run as a script (cmake -DNAME=… -DOUTPUT=… -DFILES=a,b -P) it writes that function's source.
if(NOT CMAKE_SCRIPT_MODE_FILE)
    function(tailmark_name_sources target name)
        set(output ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
        list(SORT ARGN)
        list(JOIN ARGN "," files)
        add_custom_command(OUTPUT ${output}
            COMMAND ${CMAKE_COMMAND} -DNAME=${name} -DOUTPUT=${output} -DFILES=${files}
                    -P ${PROJECT_SOURCE_DIR}/cmake/name_sources.cmake
            DEPENDS ${ARGN} ${PROJECT_SOURCE_DIR}/cmake/name_sources.cmake
            COMMENT "Naming ${name}" VERBATIM)
        target_sources(${target} PRIVATE ${output})
    endfunction()
    return()
endif()

set(hashes "")
string(REPLACE "," ";" FILES "${FILES}")
foreach(file ${FILES})
    file(SHA256 ${file} hash)
    string(APPEND hashes ${hash})
endforeach()
string(SHA256 hash "${hashes}")
string(SUBSTRING ${hash} 0 16 hash)
file(WRITE ${OUTPUT}
"#include <string_view>\n
namespace tailmark {\n
std::string_view ${NAME}();\n
std::string_view ${NAME}()
{
    return \"${hash}\";
}\n
} // namespace tailmark\n")
