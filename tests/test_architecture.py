"""The shape of the code, checked by parsing it: who imports whom, how long things are, what stands at the top."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent
OURS = ("wiki", "assets", "pipelines", "serving", "bench", "tests")
PRODUCT = ("wiki", "assets", "pipelines", "serving")

MAY_IMPORT = {
    "wiki": {"wiki"},
    "assets": {"assets", "wiki"},
    "pipelines": {"pipelines", "assets", "wiki"},
    "serving": {"serving", "wiki"},
}
ONLY_IN = {
    "fastapi": {"serving"},
    "starlette": {"serving"},
    "uvicorn": {"serving"},
    "dagster": {"assets", "pipelines"},
    "typer": {"wiki"},
}
HEAVY = {"torch", "docling", "docling_core", "sentence_transformers", "onnxruntime", "onnx", "transformers", "scipy"}
CONVERTERS = {"docling", "docling_core"}
FORBIDDEN_NAMES = {"utils", "util", "helpers", "helper", "common", "manager", "managers", "misc"}
TOP_LEVEL = {
    *("pipelines", "assets", "serving", "knowledge_root", "tests", "wiki", "bench", "docs", "examples", ".ci"),
    *("dagster.yaml", "pyproject.toml", "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "Makefile"),
    *("constraints.txt", ".gitignore"),
}
MOST_LINES = 400
MOST_ASSET_LINES = 25
MOST_ROUTE_LINES = 15
ROUTE_DECORATORS = {"get", "post", "put", "patch", "delete", "api_route"}
ASSET_DECORATORS = {"asset", "multi_asset", "asset_check", "multi_asset_check"}


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def modules(*folders: str) -> list[Path]:
    return sorted(path for folder in folders for path in (REPOSITORY / folder).rglob("*.py"))


def shown(path: Path) -> str:
    return path.relative_to(REPOSITORY).as_posix()


def imported(nodes: Iterator[ast.AST]) -> Iterator[tuple[str, int]]:
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from ((alias.name.split(".")[0], node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.module.split(".")[0], node.lineno


def named_modules(nodes: Iterator[ast.AST]) -> Iterator[tuple[str, int]]:
    """Full dotted names, with ``from a import b`` as both ``a`` and ``a.b``."""
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module, node.lineno
            yield from ((f"{node.module}.{alias.name}", node.lineno) for alias in node.names)


def dotted(path: Path) -> str:
    return shown(path).removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def at_import_time(tree: ast.AST) -> Iterator[ast.AST]:
    """Every node that runs when the module is imported: not function bodies, not ``if TYPE_CHECKING``."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            continue
        yield node
        yield from at_import_time(node)


def decorator_names(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    names: set[str] = set()
    for decorator in function.decorator_list:
        target = decorator.func if isinstance(decorator, ast.Call) else decorator
        if isinstance(target, ast.Attribute):
            names.add(target.attr)
        elif isinstance(target, ast.Name):
            names.add(target.id)
    return names


def body_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    body = function.body[1:] if ast.get_docstring(function) else function.body
    return (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0


def decorated(folder: str, wanted: set[str]) -> Iterator[tuple[str, int]]:
    for path in modules(folder):
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and decorator_names(node) & wanted:
                yield f"{shown(path)}:{node.lineno} {node.name}", body_lines(node)


@pytest.mark.parametrize("package", PRODUCT)
def test_imports_point_one_way(package: str) -> None:
    wrong = [
        f"{shown(path)}:{line} imports {name}"
        for path in modules(package)
        for name, line in imported(ast.walk(parsed(path)))
        if name in OURS and name not in MAY_IMPORT[package]
    ]
    assert wrong == []


def test_each_framework_stays_in_its_folder() -> None:
    wrong = [
        f"{shown(path)}:{line} imports {name}"
        for package in PRODUCT
        for path in modules(package)
        for name, line in imported(ast.walk(parsed(path)))
        if (name in ONLY_IN and package not in ONLY_IN[name]) or (name.startswith("dagster_") and package == "wiki")
    ]
    assert wrong == []


def test_typer_is_only_used_by_the_command_line() -> None:
    wrong = [
        shown(path)
        for path in modules("wiki")
        if not shown(path).startswith("wiki/cli/") and "typer" in {name for name, _ in imported(ast.walk(parsed(path)))}
    ]
    assert wrong == []


def test_heavy_libraries_load_only_when_they_are_needed() -> None:
    wrong = [
        f"{shown(path)}:{line} imports {name} at module level"
        for path in modules(*PRODUCT)
        for name, line in imported(at_import_time(parsed(path)))
        if name in HEAVY and not (name in CONVERTERS and shown(path).startswith("wiki/parsing/"))
    ]
    assert wrong == []


def test_modules_built_on_docling_are_imported_only_from_inside_functions() -> None:
    built_on_docling = {
        dotted(path)
        for path in modules("wiki/parsing")
        if CONVERTERS & {name for name, _ in imported(at_import_time(parsed(path)))}
    }
    wrong = [
        f"{shown(path)}:{line} imports {name} at module level"
        for path in modules(*PRODUCT)
        if dotted(path) not in built_on_docling
        for name, line in named_modules(at_import_time(parsed(path)))
        if name in built_on_docling
    ]
    assert wrong == []


def test_the_facade_imports_without_any_heavy_library() -> None:
    code = f"import sys, wiki.library, wiki.cli.main; print(sorted(set(sys.modules) & {HEAVY - {'scipy'}!r}))"
    done = subprocess.run([sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_no_file_is_longer_than_a_person_reads_at_once() -> None:
    sizes = {shown(path): len(path.read_text(encoding="utf-8").splitlines()) for path in modules(*OURS)}
    assert {name: lines for name, lines in sizes.items() if lines > MOST_LINES} == {}


def test_no_module_is_a_drawer_for_odds_and_ends() -> None:
    assert [shown(path) for path in modules(*OURS) if path.stem in FORBIDDEN_NAMES] == []
    assert [shown(path.parent) for path in modules(*OURS) if path.parent.name in FORBIDDEN_NAMES] == []


def test_the_top_level_is_exactly_the_agreed_one() -> None:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=REPOSITORY, capture_output=True, text=True, check=True)
    top = {name.split("/")[0] for name in listed.stdout.split("\0") if name}
    assert top - TOP_LEVEL == set()
    missing = {name for name in TOP_LEVEL if not (REPOSITORY / name).exists()}
    assert missing == set()


def test_asset_bodies_are_thin() -> None:
    assert [(name, lines) for name, lines in decorated("assets", ASSET_DECORATORS) if lines >= MOST_ASSET_LINES] == []


def test_route_bodies_are_thin() -> None:
    assert [(name, lines) for name, lines in decorated("serving", ROUTE_DECORATORS) if lines >= MOST_ROUTE_LINES] == []


def test_dagster_sees_one_root_without_logic() -> None:
    root = parsed(REPOSITORY / "pipelines" / "definitions.py")
    allowed = (ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign, ast.Expr)
    assert [type(node).__name__ for node in root.body if not isinstance(node, allowed)] == []


def test_every_function_of_the_product_is_typed() -> None:
    wrong: list[str] = []
    for path in modules(*PRODUCT):
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.returns is None:
                wrong.append(f"{shown(path)}:{node.lineno} {node.name}")
    assert wrong == []


def test_no_work_is_left_for_later() -> None:
    words = ("TO" + "DO", "FIX" + "ME")
    left = [
        f"{shown(path)}: {word}"
        for path in modules(*OURS)
        for word in words
        if word in path.read_text(encoding="utf-8")
    ]
    for path in modules(*PRODUCT):
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.Raise) and node.exc and "NotImplementedError" in ast.dump(node.exc):
                left.append(f"{shown(path)}:{node.lineno} is a stub")
    assert left == []
