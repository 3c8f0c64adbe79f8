"""tools/check_layers.py on fabricated workspaces: it must reject what it is there to reject."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

CHECK = Path(__file__).parents[2] / "tools" / "check_layers.py"

Crates = dict[str, tuple[str, str]]
"""Layer -> (what stands below [package] in Cargo.toml, src/lib.rs)."""

GOOD: Crates = {
    "ring": ("", "pub fn one() -> u64 { 1 }\n"),
    "engine": (
        '[dependencies]\ncyclotron-ring = { path = "../ring" }\n',
        "use cyclotron_ring::one;\npub fn two() -> u64 { one() + cyclotron_ring::one() }\n",
    ),
    "schemes": ('[dependencies]\ncyclotron-engine = { path = "../engine" }\n', ""),
    "devices": ('[dependencies]\ncyclotron-schemes = { path = "../schemes" }\n', ""),
    "cli": (
        '[dependencies]\ncyclotron-devices = { path = "../devices" }\n'
        '[dev-dependencies]\ncyclotron-ring = { path = "../ring" }\n',
        "",
    ),
}


def check(folder: Path, crates: Crates) -> tuple[int, str]:
    """The exit status and the complaints of the check on a workspace of these crates."""
    (folder / "Cargo.toml").write_text('[workspace]\nresolver = "3"\nmembers = ["crates/*"]\n')
    for layer, (manifest, source) in crates.items():
        crate = folder / "crates" / layer
        (crate / "src").mkdir(parents=True)
        (crate / "src" / "lib.rs").write_text(source)
        (crate / "Cargo.toml").write_text(
            f'[package]\nname = "cyclotron-{layer}"\nversion = "0.1.0"\nedition = "2024"\n'
            + manifest
        )
    done = subprocess.run(
        [sys.executable, CHECK, folder], capture_output=True, text=True, check=False
    )
    return done.returncode, done.stderr


def test_a_workspace_in_order_passes(tmp_path: Path) -> None:
    assert check(tmp_path, GOOD) == (0, "")


@pytest.mark.parametrize("section", ["dependencies", "dev-dependencies", "build-dependencies"])
@pytest.mark.parametrize(
    ("user", "used"),
    [("ring", "engine"), ("engine", "schemes"), ("schemes", "devices"), ("devices", "cli")],
)
def test_an_upward_dependency_is_rejected(
    tmp_path: Path, user: str, used: str, section: str
) -> None:
    manifest = f'[{section}]\ncyclotron-{used} = {{ path = "../{used}" }}\n'
    status, complaints = check(tmp_path, {**GOOD, user: (manifest, "")})
    assert status == 1
    assert f"{user} may not use {used}" in complaints


def test_a_renamed_dependency_is_rejected(tmp_path: Path) -> None:
    manifest = (
        '[target."cfg(unix)".dependencies]\n'
        'harmless = { package = "cyclotron-schemes", path = "../schemes" }\n'
    )
    status, complaints = check(tmp_path, {**GOOD, "ring": (manifest, "")})
    assert status == 1
    assert "ring may not use schemes" in complaints


@pytest.mark.parametrize(
    "source",
    [
        "use cyclotron_schemes::bfv;\n",
        "pub use ::cyclotron_schemes as s;\n",
        "extern crate cyclotron_schemes;\n",
        "use {std::fmt, cyclotron_schemes::bfv};\n",
        "fn f() { cyclotron_schemes::f() }\n",
        "/// ```\n/// use cyclotron_schemes::bfv;\n/// ```\npub fn f() {}\n",
    ],
)
def test_an_upward_import_in_a_source_is_rejected(tmp_path: Path, source: str) -> None:
    status, complaints = check(tmp_path, {**GOOD, "engine": ("", source)})
    assert status == 1
    assert "engine may not use schemes" in complaints


def test_speaking_of_an_upper_layer_is_allowed(tmp_path: Path) -> None:
    source = "// cyclotron_schemes::bfv holds keys in this form.\n"
    assert check(tmp_path, {**GOOD, "ring": ("", source)}) == (0, "")


def test_a_crate_without_a_layer_is_rejected(tmp_path: Path) -> None:
    status, complaints = check(tmp_path, {**GOOD, "misc": ("", "")})
    assert status == 1
    assert "cyclotron-misc is in no layer" in complaints
