#!/usr/bin/env python3
"""The checks of scripts/check.d find what they are for.

Each case plants one violation in a small tree that is otherwise clean and
demands that the check fails and names file and line; its counterpart, the
clean tree, must pass. The same for the script behind compile-fail tests.
"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
CHECKS = PROJECT / "scripts" / "check.d"
OPTIONS = argparse.Namespace(compiler="c++", cmake="cmake")

CLEAN = {
    "src/support/assert.hpp": "#pragma once\n",
    "src/support/log.cpp": "#include <spdlog/spdlog.h>\n#include <unistd.h>\n",
    "src/domain/order.hpp": '#include "support/assert.hpp"\n#include <span>\n',
    "src/codec/order_json.cpp": "#include <nlohmann/json.hpp>\n",
    "src/storage/engine.hpp": "#include <rocksdb/db.h>\n",
    "src/storage/store.cpp": '#include "storage/engine.hpp"\n',
    "src/storage/status_view.hpp": "#pragma once\n",
    "src/bus/event_bus.hpp": "#pragma once\n",
    "src/bus/log_bus.hpp": '#include "bus/event_bus.hpp"\n',
    "src/bus/log_bus.cpp": '#include "storage/status_view.hpp"\n',
    "src/actors/interfaces.hpp": "#include <caf/all.hpp>\n",
    "src/actors/gateway.hpp": '#include "domain/order.hpp"\n',
    "src/actors/relay.hpp":
        '#include "actors/interfaces.hpp"\nstruct relay_state {};\n',
    "src/actors/relay.cpp": '#include "actors/relay.hpp"\n',
    "src/actors/order.hpp":
        "order_actor::behavior_type order(order_actor::pointer self);\n",
    "src/http/routes.cpp":
        '#include "actors/gateway.hpp"\n#include "storage/status_view.hpp"\n',
    "src/http/server.cpp": "#include <boost/beast.hpp>\n",
    "src/app/wiring.cpp":
        '#include "actors/relay.hpp"\n#include "bus/log_bus.hpp"\n',
    "src/app/main.cpp": "#include <CLI/CLI.hpp>\n",
    "tests/support/poll.hpp": "// this_thread::sleep_for\n",
}


class tree_case(unittest.TestCase):
    def setUp(self):
        self.root = Path(tempfile.mkdtemp(prefix="parcelflow-check-"))
        self.addCleanup(shutil.rmtree, self.root)
        for name, text in CLEAN.items():
            self.write(name, text)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def run_check(self, check):
        done = subprocess.run([CHECKS / check, self.root], text=True,
                              stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.returncode, done.stdout

    def assert_clean(self, check):
        code, output = self.run_check(check)
        self.assertEqual((code, output), (0, ""))

    def assert_finds(self, check, where, reason=""):
        code, output = self.run_check(check)
        self.assertEqual(code, 1, output)
        self.assertIn(where, output)
        self.assertIn(reason, output)


class layers(tree_case):
    def test_a_clean_tree_passes(self):
        self.assert_clean("layers")

    def plant(self, name, text, reason):
        with self.subTest(f"{name}: {text.strip()}"):
            before = CLEAN.get(name)
            self.write(name, "#pragma once\n" + text)
            self.assert_finds("layers", f"{name}:2:", reason)
            if before is None:
                (self.root / name).unlink()
            else:
                self.write(name, before)

    def test_a_layer_includes_no_layer_above_it(self):
        upwards = {
            "support": "domain/order.hpp", "domain": "storage/status_view.hpp",
            "codec": "storage/status_view.hpp", "storage": "bus/event_bus.hpp",
            "bus": "storage/status_view.hpp", "actors": "http/x.hpp",
            "http": "actors/interfaces.hpp",
        }
        self.write("src/http/x.hpp", "#pragma once\n")
        for layer, target in upwards.items():
            self.plant(f"src/{layer}/y.cpp", f'#include "{target}"\n',
                       "may not include")

    def test_domain_takes_no_service_from_support(self):
        self.write("src/support/log.hpp", "#pragma once\n")
        self.plant("src/domain/y.hpp", '#include "support/log.hpp"\n',
                   "may not include")

    def test_a_library_stays_in_its_layer(self):
        for library in ("spdlog/x.h", "prometheus/x.h", "openssl/x.h",
                        "nlohmann/json.hpp", "rocksdb/db.h", "caf/all.hpp",
                        "boost/x.hpp", "CLI/CLI.hpp"):
            self.plant("src/domain/y.cpp", f"#include <{library}>\n",
                       "domain may not include")

    def test_an_unlisted_library_is_refused(self):
        self.plant("src/app/y.cpp", "#include <zmq/zmq.h>\n", "no layer")

    def test_a_library_shows_in_no_header_that_others_reach(self):
        self.plant("src/storage/status_view.hpp", "#include <rocksdb/db.h>\n",
                   "another layer reaches")

    def test_boost_is_compiled_by_one_source_file(self):
        self.write("src/http/session.hpp", "#include <boost/asio.hpp>\n")
        self.write("src/http/server.cpp", '#include "http/session.hpp"\n')
        self.assert_clean("layers")
        self.write("src/http/tls.cpp", '#include "http/session.hpp"\n')
        self.assert_finds("layers", "src/http/tls.cpp:1:", "in one .cpp")

    def test_domain_and_codec_are_free_of_the_system(self):
        self.plant("src/domain/y.cpp", "#include <unistd.h>\n", "system")
        self.plant("src/codec/y.cpp", "#include <sys/stat.h>\n", "system")

    def test_src_never_includes_tests(self):
        self.plant("src/app/y.cpp", '#include "tests/support/poll.hpp"\n',
                   "never includes tests")

    def test_an_include_names_a_file_from_src(self):
        self.plant("src/bus/y.cpp", '#include "event_bus.hpp"\n', "not a file")
        self.plant("src/bus/y.cpp", "#include <bus/event_bus.hpp>\n", "quotes")

    def test_actors_meet_in_interfaces(self):
        for target in ("actors/order.hpp", "actors/relay.hpp"):
            self.plant("src/actors/inventory.hpp", f'#include "{target}"\n',
                       "actor's header")

    def test_only_wiring_names_concrete_classes(self):
        self.plant("src/app/config.cpp", '#include "actors/relay.hpp"\n',
                   "app/wiring")
        self.plant("src/actors/relay.cpp", '#include "bus/log_bus.hpp"\n',
                   "app/wiring")

    def test_the_gateway_brings_no_caf_along(self):
        self.write("src/actors/messages.hpp", "#include <caf/atom.hpp>\n")
        self.write("src/actors/gateway.hpp", '#include "actors/messages.hpp"\n')
        self.assert_finds("layers", "src/actors/messages.hpp:1:", "CAF")

    def test_a_folder_that_is_no_layer_is_refused(self):
        self.write("src/common/y.cpp", "\n")
        self.assert_finds("layers", "src/common/y.cpp:1:", "not a layer")

    def test_a_commented_include_does_not_count(self):
        self.write("src/domain/y.cpp",
                   "// #include <unistd.h>\n/*\n#include <unistd.h>\n*/\n")
        self.assert_clean("layers")


class sizes(tree_case):
    LONG = "  ++n;\n" * 59

    def test_a_clean_tree_passes(self):
        self.assert_clean("sizes")

    def test_a_file_has_400_lines_and_not_one_more(self):
        self.write("src/app/y.cpp", "\n" * 400)
        self.assert_clean("sizes")
        self.write("tests/app/y.cpp", "\n" * 401)
        self.assert_finds("sizes", "tests/app/y.cpp:401:", "401 lines")

    def test_a_function_has_60_lines_and_not_one_more(self):
        self.write("src/app/y.cpp", f"int f() {{\n{self.LONG[7:]}}}\n")
        self.assert_clean("sizes")
        self.write("src/app/y.cpp", f"\nint f() {{\n{self.LONG}}}\n")
        self.assert_finds("sizes", "src/app/y.cpp:2:", "61 lines")

    def test_every_way_to_write_a_function_is_seen(self):
        for head in (
                "template <class T> requires (sizeof(T) > 1) void f(T x)",
                "auto f() -> std::vector<int>",
                "x::x(int a) : a_{a}, b_{1, 2}",
                "x::x(int a) noexcept(false) : a_(a)",
                "bool operator()(int) const noexcept override",
                'TEST_CASE("a claim {with a brace")',
                "const auto f = [](int a)",
                "static constexpr auto big = 1'000'000; char c = '}'; int f()",
        ):
            with self.subTest(head):
                self.write("src/app/y.cpp", "namespace a {\nclass b {\n"
                           f"/* }} */\n{head} {{\n{self.LONG}}}\n}};\n}}\n")
                self.assert_finds("sizes", "src/app/y.cpp:4:")

    def test_what_is_no_function_may_be_long(self):
        for head in ("class a : b<int()>", "enum class e : int",
                     "namespace a::b", "const table t",
                     "const std::function<int()> f"):
            with self.subTest(head):
                self.write("src/app/y.cpp", f"{head} {{\n{self.LONG}\n}};\n")
                self.assert_clean("sizes")


class words(tree_case):
    def test_a_clean_tree_passes(self):
        self.assert_clean("words")

    def test_notes_to_oneself_are_found(self):
        for word in ("TODO", "FIXME", "XXX", "HACK"):
            for name in ("src/app/y.cpp", "scripts/y", "docs/y.md"):
                with self.subTest(f"{word} in {name}"):
                    self.write(name, f"\n// {word}: later\n")
                    self.assert_finds("words", f"{name}:2:")
                    (self.root / name).unlink()

    def test_file_names_that_name_nothing_are_found(self):
        for name in ("order_manager.hpp", "helper.cpp", "test_utils.hpp"):
            with self.subTest(name):
                self.write(f"src/app/{name}", "\n")
                self.assert_finds("words", f"src/app/{name}:1:")
                (self.root / "src/app" / name).unlink()

    def test_a_test_does_not_sleep(self):
        self.write("tests/app/y_test.cpp",
                   "\nstd::this_thread::sleep_for(1ms);\n")
        self.assert_finds("words", "tests/app/y_test.cpp:2:", "deadline")


class format(tree_case):
    def test_only_formatted_code_passes(self):
        if not shutil.which("clang-format"):
            self.skipTest("clang-format is not installed")
        shutil.copy(PROJECT / ".clang-format", self.root)
        self.write("src/app/y.cpp", "int  f( ){return 1 ;}\n")
        code, output = self.run_check("format")
        self.assertNotEqual(code, 0)
        self.assertIn("src/app/y.cpp:1:", output)


class tidy(tree_case):
    def setUp(self):
        super().setUp()
        if not shutil.which("clang-tidy"):
            self.skipTest("clang-tidy is not installed")
        scripts = self.root / "scripts/check.d"
        scripts.mkdir(parents=True)
        shutil.copy(CHECKS / "tidy", scripts)
        shutil.copy(PROJECT / ".clang-tidy", self.root)
        self.write("src/app/y.hpp", "inline int* g() { return nullptr; }\n")
        self.write("src/app/y.cpp", '#include "y.hpp"\nint* f = g();\n')
        self.write("build/dev/compile_commands.json",
                   f'[{{"directory": "{self.root}", "file": "src/app/y.cpp", '
                   f'"command": "{OPTIONS.compiler} -std=c++20 -o y.o '
                   f'-c {self.root}/src/app/y.cpp"}}]')

    def run_tidy(self, **environment):
        done = subprocess.run(
            [self.root / "scripts/check.d/tidy", "src/app/y.cpp"], text=True,
            env=os.environ | environment,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.returncode, done.stdout

    def assert_finds_null(self):
        for _ in range(2):  # what has a finding is never taken for clean
            code, output = self.run_tidy()
            self.assertEqual(code, 1, output)
            self.assertIn("modernize-use-nullptr", output)

    def test_a_finding_is_an_error(self):
        self.assertEqual(self.run_tidy(), (0, ""))
        self.write("src/app/y.cpp", "void f(int* p) {\n  p = 0;\n}\n")
        self.assert_finds_null()

    def test_a_clean_file_is_looked_at_again_when_its_header_changed(self):
        self.assertEqual(self.run_tidy(), (0, ""))
        self.write("src/app/y.hpp", "inline int* g() { return 0; }\n")
        self.assert_finds_null()

    def test_a_clean_file_is_looked_at_again_when_the_checks_changed(self):
        self.write("src/app/y.cpp", "int* f = 0;\n")
        self.write("src/app/.clang-tidy", "Checks: '-*,cert-env33-c'\n")
        self.assertEqual(self.run_tidy(), (0, ""))
        shutil.copy(PROJECT / ".clang-tidy", self.root / "src/app")
        self.assert_finds_null()

    def test_a_clean_file_that_did_not_change_is_not_looked_at_again(self):
        self.write("bin/clang-tidy", f"""#!/bin/sh
[ "$1" = --version ] || echo looked >> {self.root}/looks
exec {shutil.which("clang-tidy")} "$@"
""")
        (self.root / "bin/clang-tidy").chmod(0o755)
        path = f"{self.root}/bin:{os.environ['PATH']}"
        for _ in range(2):
            self.assertEqual(self.run_tidy(PATH=path), (0, ""))
            self.assertEqual((self.root / "looks").read_text(), "looked\n")
        self.write("src/app/y.cpp", "int* f = nullptr;\n")
        self.assertEqual(self.run_tidy(PATH=path), (0, ""))
        self.assertEqual((self.root / "looks").read_text(), "looked\n" * 2)


class compile_fail(tree_case):
    CONTROLLED = "#ifndef PARCELFLOW_COMPILE_CONTROL\nint f() { return g; }\n" \
                 "#endif\n"

    def run_script(self, source, regex):
        self.write("y.cpp", source)
        done = subprocess.run(
            [OPTIONS.cmake, "-D", f"COMPILER={OPTIONS.compiler}",
             "-D", f"SOURCE={self.root}/y.cpp", "-D", f"SOURCE_DIR={PROJECT}",
             "-D", f"REGEX={regex}",
             "-P", PROJECT / "cmake/compile_fail.cmake"],
            text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.returncode, done.stdout

    def test_the_expected_diagnostic_passes(self):
        code, output = self.run_script(self.CONTROLLED, "was not declared|use of")
        self.assertEqual(code, 0, output)

    def test_another_diagnostic_fails(self):
        code, output = self.run_script(self.CONTROLLED, "deleted function")
        self.assertNotEqual(code, 0)
        self.assertIn("another reason", output)

    def test_a_source_that_compiles_fails(self):
        code, output = self.run_script("int f();\n", ".*")
        self.assertNotEqual(code, 0)
        self.assertIn("must not", output)

    def test_a_control_that_does_not_compile_fails(self):
        code, output = self.run_script("int f() { return g; }\n", ".*")
        self.assertNotEqual(code, 0)
        self.assertIn("control must compile", output)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--compiler", default=OPTIONS.compiler)
    parser.add_argument("--cmake", default=OPTIONS.cmake)
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
