# SPDX-License-Identifier: GPL-3.0-or-later
# Text files as part of the program, without Qt.
#
#   tailmark_embed_files(TARGET NAME FILE...)    adds to TARGET the function
#   std::span<const tailmark::EmbeddedFile> tailmark::NAME();    (base/embedded_file.h), in the order given
#
# Run as a script (cmake -DNAME=… -DOUTPUT=… -DFILES=a,b -P) it writes that function's source.
if(NOT CMAKE_SCRIPT_MODE_FILE)
    function(tailmark_embed_files target name)
        set(output ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
        list(JOIN ARGN "," files)
        add_custom_command(OUTPUT ${output}
            COMMAND ${CMAKE_COMMAND} -DNAME=${name} -DOUTPUT=${output} -DFILES=${files}
                    -P ${PROJECT_SOURCE_DIR}/cmake/embed_files.cmake
            DEPENDS ${ARGN} ${PROJECT_SOURCE_DIR}/cmake/embed_files.cmake
            COMMENT "Embedding ${name}" VERBATIM)
        target_sources(${target} PRIVATE ${output})
    endfunction()
    return()
endif()

set(entries "")
string(REPLACE "," ";" FILES "${FILES}")
foreach(file ${FILES})
    get_filename_component(base ${file} NAME_WE)
    file(READ ${file} text)
    string(APPEND entries "    {\"${base}\", R\"embedded(${text})embedded\"},\n")
endforeach()
file(WRITE ${OUTPUT}
"#include \"base/embedded_file.h\"\n
namespace tailmark {\n
std::span<const EmbeddedFile> ${NAME}();\n
std::span<const EmbeddedFile> ${NAME}()
{
    static constexpr EmbeddedFile files[] = {\n${entries}    };
    return files;
}\n
} // namespace tailmark\n")
