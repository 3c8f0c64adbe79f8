#!/usr/bin/env python3
"""Everything that is made from a register map `rtl/BLOCK/regs.rdl` (SystemRDL).

    rtl/BLOCK/generated/BLOCK_regs.sv, BLOCK_regs_pkg.sv    the register block (AXI4-Lite)
    rtl/BLOCK/generated/BLOCK_regs.h                        C header
    crates/devices/src/registers/BLOCK.rs                   Rust constants
    python/cyclotron/devices/registers/BLOCK.py             Python constants
    docs/registers/BLOCK.md                                 the table

    python tools/rtl/regmap.py [--check] [BLOCK ...]    default: every block with a regs.rdl

The results are committed; `--check` fails when one is not what its map gives. The top addrmap is
called BLOCK_regs; registers of its regfile `common` keep their short names.
"""

from __future__ import annotations

import argparse
import difflib
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from peakrdl_regblock import RegblockExporter  # type: ignore[import-untyped]
from peakrdl_regblock.cpuif.axi4lite import (  # type: ignore[import-untyped]
    AXI4Lite_Cpuif_flattened,
)
from peakrdl_regblock.udps import ALL_UDPS  # type: ignore[import-untyped]
from systemrdl.compiler import RDLCompiler
from systemrdl.messages import RDLCompileError
from systemrdl.node import AddrmapNode, FieldNode, MemNode, Node, RegfileNode, RegNode
from systemrdl.rdltypes.builtin_enums import AccessType

REPOSITORY = Path(__file__).resolve().parents[2]
TOOL = "tools/rtl/regmap.py"
WIDTH = 100


class RegmapError(Exception):
    """A register map that cannot be used, or results that are out of date."""


@dataclass(frozen=True)
class Field:
    name: str
    low: int
    width: int
    access: str
    reset: int | None
    text: str

    @property
    def mask(self) -> int:
        return (1 << self.width) - 1 << self.low

    @property
    def bits(self) -> str:
        high = self.low + self.width - 1
        return str(high) if self.width == 1 else f"{high}:{self.low}"


@dataclass(frozen=True)
class Register:
    """A register, an array of registers or a memory: `count` words from `offset`."""

    name: str
    offset: int
    count: int
    title: str
    text: str
    access: str
    fields: tuple[Field, ...]

    @property
    def value(self) -> int | None:
        """The constant that a read-only register reads as, if it is one."""
        if self.access != "read only" or any(field.reset is None for field in self.fields):
            return None
        return sum((field.reset or 0) << field.low for field in self.fields)

    @property
    def named(self) -> tuple[Field, ...]:
        """The fields worth a name: not the one that is the whole register."""
        whole = len(self.fields) == 1 and self.fields[0].width == 32
        return () if whole else self.fields


@dataclass(frozen=True)
class Code:
    value: int
    name: str
    text: str


@dataclass(frozen=True)
class Map:
    block: str
    title: str
    text: str
    registers: tuple[Register, ...]
    codes: tuple[Code, ...]


# ---- reading -------------------------------------------------------------------------------------


def _access(node: FieldNode | RegNode) -> str:
    if isinstance(node, RegNode):
        readable, writable = node.has_sw_readable, node.has_sw_writable
    else:
        readable, writable = node.is_sw_readable, node.is_sw_writable
        if node.get_property("woclr"):
            return "write 1 clears"
        if node.get_property("singlepulse"):
            return "pulse"
    return {
        (True, True): "read, write",
        (True, False): "read only",
        (False, True): "write only",
    }.get((readable, writable), "none")


def _text(node: Node) -> str:
    return " ".join(str(node.get_property("desc") or "").split())


def _field(node: FieldNode) -> Field:
    reset = node.get_property("reset")
    if node.implements_storage is False and node.is_hw_writable:
        reset = None
    return Field(
        node.inst_name,
        node.low,
        node.width,
        _access(node),
        reset if isinstance(reset, int) else None,
        _text(node),
    )


def _registers(parent: AddrmapNode | RegfileNode, prefix: str = "") -> Iterator[Register]:
    for node in parent.children(unroll=False):
        if isinstance(node, RegfileNode):
            inner = "" if node.inst_name == "common" else f"{prefix}{node.inst_name}_"
            yield from _registers(node, inner)
            continue
        if not isinstance(node, (RegNode, MemNode)):
            continue
        name = prefix + node.inst_name
        title = str(node.get_property("name"))
        if isinstance(node, MemNode):
            if node.get_property("memwidth") != 32:
                raise RegmapError(f"{name}: memory words of 32 bits are needed")
            count = int(node.get_property("mementries"))
            access = "write only" if node.get_property("sw") is AccessType.w else "read, write"
            yield Register(
                name, node.raw_address_offset + _base(parent), count, title, _text(node), access, ()
            )
            continue
        if node.size != 4 or (node.is_array and node.array_stride != 4):
            raise RegmapError(f"{name}: registers of 32 bits without gaps are needed")
        fields = tuple(sorted((_field(f) for f in node.fields()), key=lambda f: f.low))
        count = node.n_elements if node.is_array else 1
        yield Register(
            name,
            node.raw_address_offset + _base(parent),
            count,
            title,
            _text(node),
            _access(node),
            fields,
        )


def _base(parent: AddrmapNode | RegfileNode) -> int:
    return 0 if isinstance(parent, AddrmapNode) else parent.absolute_address


def _codes(top: AddrmapNode) -> Iterator[Code]:
    """The members of the enumeration of `common.ERRCODE.code`."""
    node = top.find_by_path("common.ERRCODE.code")
    encode = node.get_property("encode") if isinstance(node, FieldNode) else None
    if encode is None:
        raise RegmapError(f"{top.inst_name}: common.ERRCODE.code has no `encode`")
    for member in encode:
        yield Code(int(member.value), member.name, " ".join(str(member.rdl_desc or "").split()))


def read_map(block: str, root: Path) -> tuple[Map, AddrmapNode]:
    """Compiles `rtl/BLOCK/regs.rdl`."""
    compiler = RDLCompiler()
    for udp in ALL_UDPS:  # the exporter asks for its own properties
        compiler.register_udp(udp)
    source = root / "rtl" / block / "regs.rdl"
    try:
        compiler.compile_file(str(source), incl_search_paths=[str(root / "rtl" / "lib")])
        top = compiler.elaborate(f"{block}_regs").top
    except RDLCompileError as fault:
        raise RegmapError(f"{source}: {fault}") from fault
    registers = tuple(sorted(_registers(top), key=lambda register: register.offset))
    codes = tuple(sorted(_codes(top), key=lambda code: code.value))
    return Map(block, str(top.get_property("name")), _text(top), registers, codes), top


# ---- writing -------------------------------------------------------------------------------------


def _wrap(prefix: str, text: str) -> list[str]:
    """A comment of at most 100 columns."""
    lines: list[str] = []
    for word in text.split():
        if lines and len(lines[-1]) + len(word) < WIDTH:
            lines[-1] += f" {word}"
        else:
            lines.append(f"{prefix} {word}")
    return lines


def _summary(register: Register) -> str:
    words = f", {register.count} words" if register.count > 1 else ""
    return f"{register.title} ({register.access}{words}). {register.text}"


def _pieces(text: str, width: int = 72) -> list[str]:
    """The quoted pieces of a text too long for a line."""
    parts = textwrap.wrap(text, width, break_long_words=False)
    return [f'"{part} "' for part in parts[:-1]] + [f'"{part}"' for part in parts[-1:]]


def _rust_text(text: str) -> str:
    pieces = _pieces(text)
    return pieces[0] if len(pieces) == 1 else f"concat!({', '.join(pieces)})"


def _formatted(command: list[str], text: str, root: Path) -> str:
    try:
        done = subprocess.run(
            command, input=text, capture_output=True, text=True, check=True, cwd=root
        )
    except FileNotFoundError as fault:
        raise RegmapError(f"{command[0]} is missing: run `make setup`") from fault
    except subprocess.CalledProcessError as fault:
        raise RegmapError(f"{' '.join(command)}: {fault.stderr}") from fault
    return done.stdout


def _rust_doc(text: str) -> str:
    """Brackets would be links."""
    return text.replace("[", "\\[").replace("]", "\\]")


def rust(regmap: Map, root: Path) -> str:
    out = _wrap("//!", f"Registers of the {regmap.title}. {regmap.text}")
    out += ["//!", f"//! Generated from `rtl/{regmap.block}/regs.rdl` by `{TOOL}`.", ""]
    out += ["use super::{ErrorCode, Field};", ""]
    for register in regmap.registers:
        out += _wrap("///", _rust_doc(_summary(register)))
        out.append(f"pub const {register.name}: u32 = {register.offset:#x};")
        if register.count > 1:
            out.append(f"/// Words of [`{register.name}`].")
            out.append(f"pub const {register.name}_WORDS: usize = {register.count};")
        if register.value is not None:
            out.append(f"/// What [`{register.name}`] reads as.")
            out.append(f"pub const {register.name}_VALUE: u32 = {register.value:#010x};")
        for field in register.named:
            out += _wrap(
                "///", f"`{register.name}[{field.bits}]` ({field.access}): {_rust_doc(field.text)}"
            )
            out.append(
                f"pub const {register.name}_{field.name.upper()}: Field ="
                f" Field {{ low: {field.low}, width: {field.width} }};"
            )
        out.append("")
    out.append("/// Values of [`ERRCODE`].")
    out.append("pub const ERRORS: &[ErrorCode] = &[")
    for code in regmap.codes:
        remedy = _rust_text(code.text)
        out.append(f'ErrorCode {{ code: {code.value}, name: "{code.name}", remedy: {remedy} }},')
    out.append("];")
    return _formatted(["rustfmt", "--edition", "2024"], "\n".join(out) + "\n", root)


def python(regmap: Map, root: Path) -> str:
    doc = _wrap("", f"Registers of the {regmap.title}. {regmap.text}")
    out = ['"""' + "\n".join(line.strip() for line in doc), ""]
    out += [f"Generated from rtl/{regmap.block}/regs.rdl by {TOOL}.", '"""', ""]
    out += ["from cyclotron.devices.registers.field import Field", ""]
    for register in regmap.registers:
        out += _wrap("#", _summary(register))
        out.append(f"{register.name} = {register.offset:#x}")
        if register.count > 1:
            out.append(f"{register.name}_WORDS = {register.count}")
        if register.value is not None:
            out.append(f"{register.name}_VALUE = {register.value:#010x}")
        for field in register.named:
            out += _wrap("#", f"{register.name}[{field.bits}] ({field.access}): {field.text}")
            out.append(f"{register.name}_{field.name.upper()} = Field({field.low}, {field.width})")
        out.append("")
    out += ["# Values of ERRCODE: name and remedy.", "ERRORS = {"]
    for code in regmap.codes:
        out.append(f'{code.value}: ("{code.name}", {" ".join(_pieces(code.text))}),')
    out.append("}")
    command = [
        sys.executable,
        "-m",
        "ruff",
        "format",
        "--quiet",
        "--stdin-filename",
        "regs.py",
        "-",
    ]
    return _formatted(command, "\n".join(out) + "\n", root)


def c_header(regmap: Map) -> str:
    prefix = regmap.block.upper()
    out = [
        f"/* Registers of the {regmap.title}.",
        f" * Generated from rtl/{regmap.block}/regs.rdl.",
    ]
    out += [" */", f"#ifndef {prefix}_REGS_H", f"#define {prefix}_REGS_H", ""]
    for register in regmap.registers:
        out.append(f"/* {register.title} ({register.access}) */")
        name = f"{prefix}_{register.name}"
        out.append(f"#define {name} {register.offset:#x}u")
        if register.count > 1:
            out.append(f"#define {name}_WORDS {register.count}u")
        if register.value is not None:
            out.append(f"#define {name}_VALUE {register.value:#010x}u")
        for field in register.named:
            out.append(f"#define {name}_{field.name.upper()}_LOW {field.low}u")
            out.append(f"#define {name}_{field.name.upper()}_MASK {field.mask:#010x}u")
        out.append("")
    out.append("/* Values of ERRCODE */")
    out += [f"#define {prefix}_ERROR_{code.name} {code.value}u" for code in regmap.codes]
    return "\n".join([*out, "", "#endif", ""])


def markdown(regmap: Map) -> str:
    out = [f"# Registers: {regmap.title}", ""]
    out += [f"Made from `rtl/{regmap.block}/regs.rdl` by `{TOOL}`; edit that file.", ""]
    if regmap.text:
        out += [regmap.text, ""]
    out += ["| offset | register | access | meaning |", "|---|---|---|---|"]
    for register in regmap.registers:
        span = f"{register.offset:#05x}"
        if register.count > 1:
            span += f" .. {register.offset + 4 * register.count - 4:#05x}"
        value = "" if register.value is None else f" Reads {register.value:#010x}."
        meaning = f"{register.title}. {register.text}{value}"
        out.append(f"| {span} | `{register.name}` | {register.access} | {meaning} |")
    out += ["", "## Fields", "", "| register | bits | field | access | meaning |"]
    out.append("|---|---|---|---|---|")
    for register in regmap.registers:
        for field in register.fields:
            out.append(
                f"| `{register.name}` | {field.bits} | `{field.name}` | {field.access}"
                f" | {field.text} |"
            )
    out += [
        "",
        "## Error codes",
        "",
        "| code | name | what happened, and the remedy |",
        "|---|---|---|",
    ]
    out += [f"| {code.value} | `{code.name}` | {code.text} |" for code in regmap.codes]
    return "\n".join([*out, ""])


def systemverilog(block: str, top: AddrmapNode) -> dict[str, str]:
    """The register block and its package, by file name."""
    with tempfile.TemporaryDirectory() as folder:
        RegblockExporter().export(
            top,
            folder,
            cpuif_cls=AXI4Lite_Cpuif_flattened,
            default_reset_activelow=True,
            default_reset_async=False,
            err_if_bad_addr=True,
            err_if_bad_rw=True,
        )
        return {
            path.name: path.read_text(encoding="utf-8") for path in sorted(Path(folder).iterdir())
        }


def results(block: str, root: Path) -> dict[Path, str]:
    """Every file made from the map of `block`, with its contents."""
    regmap, top = read_map(block, root)
    generated = root / "rtl" / block / "generated"
    made = {generated / name: text for name, text in systemverilog(block, top).items()}
    made[generated / f"{block}_regs.h"] = c_header(regmap)
    made[root / "crates/devices/src/registers" / f"{block}.rs"] = rust(regmap, root)
    made[root / "python/cyclotron/devices/registers" / f"{block}.py"] = python(regmap, root)
    made[root / "docs/registers" / f"{block}.md"] = markdown(regmap)
    return made


def stale(made: dict[Path, str], root: Path) -> Iterator[str]:
    """What differs between the files and what they should be."""
    for path, text in made.items():
        name = path.relative_to(root)
        if not path.is_file():
            yield f"{name} is missing"
            continue
        found = path.read_text(encoding="utf-8")
        if found != text:
            lines: Iterable[Any] = difflib.unified_diff(
                found.splitlines(), text.splitlines(), str(name), "from the map", n=0, lineterm=""
            )
            yield "\n".join([f"{name} is out of date", *list(lines)[:12]])


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("blocks", nargs="*", help="folders below rtl/")
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    parser.add_argument("--root", type=Path, default=REPOSITORY)
    options = parser.parse_args()
    root: Path = options.root.resolve()
    blocks = options.blocks or sorted(path.parent.name for path in root.glob("rtl/*/regs.rdl"))
    faults: list[str] = []
    try:
        for block in blocks:
            made = results(block, root)
            if options.check:
                faults += stale(made, root)
                continue
            for path, text in made.items():
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
    except RegmapError as fault:
        print(f"regmap: {fault}", file=sys.stderr)
        return 1
    for line in faults:
        print(f"regmap: {line}", file=sys.stderr)
    if faults:
        print(f"regmap: run `python {TOOL}` and commit the results", file=sys.stderr)
    print(f"regmap: {', '.join(blocks) or 'no maps'}{'' if faults else ': in order'}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
