#include "support/ini_file.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace parcelflow::support {

namespace {

std::string refusal(std::string_view text) {
  const auto result = parse_ini(text, "x.ini");
  REQUIRE_MESSAGE(result.fault, text);
  CHECK(result.entries.empty());
  return result.fault->text();
}

} // namespace

TEST_CASE("entries come with section and line, in the order of the file") {
  const auto result = parse_ini("# profile\r\n"
                                "\r\n"
                                "[http]\n"
                                "port = 8080\n"
                                "  ; a remark\n"
                                "address=127.0.0.1\n"
                                "[ data ]\n"
                                "directory = \" a # b; c \"\n"
                                "empty =\n"
                                "[http]\n"
                                "hosts = a=b",
                                "x.ini");
  REQUIRE_FALSE(result.fault);
  REQUIRE(result.entries.size() == 5);
  CHECK(result.entries[0].section == "http");
  CHECK(result.entries[0].key == "port");
  CHECK(result.entries[0].value == "8080");
  CHECK(result.entries[0].line == 4);
  CHECK(result.entries[1].value == "127.0.0.1");
  CHECK(result.entries[2].section == "data");
  CHECK(result.entries[2].value == " a # b; c ");
  CHECK(result.entries[3].value.empty());
  CHECK(result.entries[4].value == "a=b");
  CHECK(result.entries[4].line == 11);
}

TEST_CASE("an empty text has no entries") {
  CHECK(parse_ini("", "x.ini").entries.empty());
  CHECK_FALSE(parse_ini("\n\n", "x.ini").fault);
}

TEST_CASE("each slip is refused at its line") {
  CHECK(refusal("a = 1\n") == "x.ini:1: `a` stands outside a section");
  CHECK(refusal("[s]\na = 1\n\na = 2\n")
        == "x.ini:4: `s.a` was given already on line 2");
  CHECK(refusal("[s]\na = 1\n[t]\na = 1\n[s]\na = 3")
        == "x.ini:6: `s.a` was given already on line 2");
  CHECK(refusal("[s]\nnonsense\n").starts_with("x.ini:2: expected"));
  CHECK(refusal("[s\n").starts_with("x.ini:1: a section is"));
  CHECK(refusal("[]\n").starts_with("x.ini:1: a section is"));
  CHECK(refusal("[\n").starts_with("x.ini:1: a section is"));
  CHECK(refusal("[s.t]\n").starts_with("x.ini:1: a section is"));
  CHECK(refusal("[s]\n= 1\n").starts_with("x.ini:2: a key is"));
  CHECK(refusal("[s]\nA = 1\n").starts_with("x.ini:2: a key is"));
  CHECK(refusal("[s]\na = 1 # one\n").starts_with("x.ini:2: a comment"));
  CHECK(refusal("[s]\na = \"1\n").starts_with("x.ini:2: a quoted"));
  CHECK(refusal("[s]\na = \"\n").starts_with("x.ini:2: a quoted"));
  CHECK(refusal("[s]\na = \"1\" 2\n").starts_with("x.ini:2: a quoted"));
  CHECK(refusal("[s]\na = \"1\"2\"\n").starts_with("x.ini:2: a quoted"));
  CHECK(refusal("[s]\na = 1\"2\n").starts_with("x.ini:2: quotes go"));
  CHECK(refusal(std::string_view("[s]\na = \0\n", 10))
        == "x.ini:2: the line holds a NUL byte");
  CHECK(refusal("[s]\na = \x1b[2J\n")
        == "x.ini:2: the line holds a control character");
  CHECK(refusal("[s]\na = b\rc\n")
        == "x.ini:2: the line holds a control character");
}

TEST_CASE("a line of 4096 bytes is read, one byte more is refused") {
  const std::string start = "a = ";
  const auto line = start + std::string(4096 - start.size(), 'x');
  CHECK(parse_ini("[s]\n" + line + "\n", "x.ini").entries.size() == 1);
  CHECK(refusal("[s]\n" + line + "x\n")
        == "x.ini:2: the line is longer than 4096 bytes");
}

TEST_CASE("a file is read; a missing one, a folder, a huge one are faults") {
  const auto folder = std::filesystem::temp_directory_path()
                      / ("ini_file_test_" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  const auto path = (folder / "a.ini").string();
  std::ofstream(path) << "[s]\na = 1\n";
  CHECK(load_ini(path).entries.size() == 1);
  const auto missing = load_ini((folder / "none.ini").string());
  REQUIRE(missing.fault);
  CHECK(missing.fault->text().ends_with("none.ini: No such file or directory"));
  CHECK(load_ini(folder.string()).fault);
  std::ofstream(path) << std::string(ini_file_bytes_max + 1, '\n');
  CHECK(load_ini(path).fault->message == "the file is longer than 1 MiB");
  std::filesystem::remove_all(folder);
}

} // namespace parcelflow::support
