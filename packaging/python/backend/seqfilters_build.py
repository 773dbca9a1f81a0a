# SPDX-License-Identifier: MIT
"""seqfilters_build.py - the wheel and the sdist of seqfilters, by PEP 517.

A wheel has the programs, their manual and the module.  Programs are those of
the folder $SEQFILTERS_BIN, or are built: by `make static`, or where that fails
by plain make for this machine alone.  A wheel of static programs is tagged for
any Linux, one of others only for what built it.

    python3 seqfilters_build.py wheel|sdist FOLDER     without pip"""

import base64
import gzip
import hashlib
import io
import os
import re
import shutil
import struct
import subprocess
import sys
import tarfile
import tempfile
import zipfile

NAME = "seqfilters"
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
PYTHON = os.path.join(ROOT, "packaging", "python")
DATE = (1980, 1, 1, 0, 0, 0)  # equal files make equal wheels
MACHINES = {62: "x86_64", 183: "aarch64"}
PT_INTERP = 3


def read(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return file.read()


def version():
    found = re.search(r'SEQF_VERSION "(.*)"',
                      read("common", "base", "base.h")).group(1)
    stated = re.search(r'^__version__ = "(.*)"$', read(
        "packaging", "python", NAME, "__init__.py"), re.M).group(1)
    if found != stated:
        raise SystemExit(f"the programs are of version {found}, the module "
                         f"says {stated}")
    return found


def metadata():
    return (f"Metadata-Version: 2.4\nName: {NAME}\nVersion: {version()}\n"
            "Summary: Exact sequence search on genomes: patterns with "
            "differences, local alignments, primers, distances\n"
            "License-Expression: MIT\nLicense-File: LICENSE\n"
            "Author: The seqfilters authors\n"
            "Requires-Python: >=3.9\n"
            "Classifier: Operating System :: POSIX\n"
            "Classifier: Programming Language :: Python :: 3\n"
            "Classifier: Programming Language :: C\n"
            "Classifier: Topic :: Scientific/Engineering :: Bio-Informatics\n"
            "Classifier: Typing :: Typed\n"
            "Provides-Extra: pandas\nRequires-Dist: pandas; extra == 'pandas'\n"
            "Provides-Extra: polars\nRequires-Dist: polars; extra == 'polars'\n"
            "Description-Content-Type: text/markdown\n\n"
            + read("packaging", "python", "README.md"))


def make(folder, *arguments):
    jobs = f"-j{os.cpu_count() or 1}"
    return subprocess.run(["make", "-s", "-C", ROOT, jobs, f"B={folder}",
                           "CUDA=0", *arguments], stdout=sys.stderr).returncode


def programs(scratch):
    """The folder of the programs; built in scratch if need be."""
    given = os.environ.get("SEQFILTERS_BIN")
    if given:
        return given
    here = os.path.join(scratch, "build")
    if make(here, "static") == 0:
        return os.path.join(f"{here}-static", "bin")
    if make(here, "all"):
        raise SystemExit("make failed: a C compiler, zlib and libdeflate are "
                         "needed")
    return os.path.join(here, "bin")


def elf(path):
    """The machine of a program, and whether it is static."""
    with open(path, "rb") as file:
        head = file.read(64)
        if head[:6] != b"\x7fELF\x02\x01":
            return None, False
        (machine,) = struct.unpack_from("<H", head, 18)
        (at,) = struct.unpack_from("<Q", head, 32)
        size, n = struct.unpack_from("<HH", head, 54)
        file.seek(at)
        table = file.read(size * n)
    kinds = {struct.unpack_from("<I", table, i * size)[0] for i in range(n)}
    return MACHINES.get(machine), PT_INTERP not in kinds


def tags(paths):
    kinds = {elf(path) for path in paths}
    machines = {machine for machine, _ in kinds}
    if len(machines) != 1:
        raise SystemExit(f"programs of several machines: {machines}")
    (machine,) = machines
    if machine and all(static for _, static in kinds):
        return [f"manylinux_2_17_{machine}", f"manylinux2014_{machine}",
                f"musllinux_1_1_{machine}"]
    import sysconfig
    return [re.sub(r"\W", "_", sysconfig.get_platform())]


def stripped(path):
    """The program without what debuggers want, if there is a strip."""
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, "program")
        shutil.copyfile(path, copy)
        try:
            subprocess.run([os.environ.get("STRIP", "strip"), copy],
                           check=True, stderr=subprocess.DEVNULL)
        except (OSError, subprocess.CalledProcessError):
            pass
        with open(copy, "rb") as file:
            return file.read()


def names(*folder):
    return sorted(os.listdir(os.path.join(ROOT, *folder)))


def contents(folder):
    """Path in the wheel, bytes and mode of its files but RECORD."""
    base = f"{NAME}-{version()}"
    info, data = f"{base}.dist-info", f"{base}.data"
    paths = [os.path.join(folder, p[:-2]) for p in names("filters")
             if p.endswith(".c")]
    platforms = tags(paths)
    for name in names("packaging", "python", NAME):
        if name.endswith((".py", ".typed")):
            yield (f"{NAME}/{name}",
                   read("packaging", "python", NAME, name).encode(), 0o644)
    for path in paths:
        yield (f"{data}/scripts/{os.path.basename(path)}", stripped(path),
               0o755)
    for name in names("man"):
        if not name.endswith(".3"):
            yield (f"{data}/data/share/man/man{name[-1]}/{name}",
                   read("man", name).encode(), 0o644)
    yield f"{info}/METADATA", metadata().encode(), 0o644
    yield f"{info}/licenses/LICENSE", read("LICENSE").encode(), 0o644
    yield (f"{info}/WHEEL", (
        f"Wheel-Version: 1.0\nGenerator: {NAME}\nRoot-Is-Purelib: false\n"
        + "".join(f"Tag: py3-none-{p}\n" for p in platforms)).encode(), 0o644)


def put(archive, name, data, mode):
    entry = zipfile.ZipInfo(name, DATE)
    entry.external_attr = (0o100000 | mode) << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(entry, data, compresslevel=9)


def build_wheel(wheel_directory, config_settings=None,
                metadata_directory=None):
    with tempfile.TemporaryDirectory() as scratch:
        files = list(contents(programs(scratch)))
    found = next(data for name, data, _ in files if name.endswith("WHEEL"))
    platforms = re.findall(r"^Tag: py3-none-(.*)$", found.decode(), re.M)
    name = f"{NAME}-{version()}-py3-none-{'.'.join(platforms)}.whl"
    record = f"{NAME}-{version()}.dist-info/RECORD"
    lines = []
    path = os.path.join(wheel_directory, name)
    with zipfile.ZipFile(path, "w") as archive:
        for entry, data, mode in files:
            put(archive, entry, data, mode)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest())
            lines.append(f"{entry},sha256={digest.decode().rstrip('=')},"
                         f"{len(data)}\n")
        put(archive, record, "".join(lines) + f"{record},,\n", 0o644)
    return name


def sources():
    """Files of the project, by git or as they lie in an sdist."""
    if os.path.isdir(os.path.join(ROOT, ".git")) or os.path.isfile(
            os.path.join(ROOT, ".git")):
        listed = subprocess.run(
            ["git", "-C", ROOT, "ls-files", "-z", "-co",
             "--exclude-standard"], stdout=subprocess.PIPE, check=True).stdout
        return sorted(f for f in os.fsdecode(listed).split("\0")
                      if f and os.path.isfile(os.path.join(ROOT, f)))
    return sorted(os.path.relpath(os.path.join(folder, f), ROOT)
                  for folder, _, files in os.walk(ROOT) for f in files)


def build_sdist(sdist_directory, config_settings=None):
    base = f"{NAME}-{version()}"
    own = {"PKG-INFO": metadata(), "pyproject.toml": read(
        "packaging", "python", "pyproject.toml").replace(
            '["backend"]', '["packaging/python/backend"]')}
    path = os.path.join(sdist_directory, f"{base}.tar.gz")
    with open(path, "wb") as file, gzip.GzipFile(
            "", "wb", mtime=0, fileobj=file) as packed, tarfile.open(
                fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name in sources():
            if name not in own:
                tar.add(os.path.join(ROOT, name), f"{base}/{name}",
                        filter=plain)
        for name, text in own.items():
            entry = plain(tarfile.TarInfo(f"{base}/{name}"))
            entry.size = len(text.encode())
            tar.addfile(entry, io.BytesIO(text.encode()))
    return f"{base}.tar.gz"


def plain(entry):
    entry.mtime = 0
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    entry.mode = 0o755 if entry.mode & 0o100 else 0o644
    return entry


if __name__ == "__main__":
    what, to = sys.argv[1:]
    os.makedirs(to, exist_ok=True)
    print(os.path.join(to, {"wheel": build_wheel, "sdist": build_sdist}[what](
        to)))
