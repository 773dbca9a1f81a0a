# SPDX-License-Identifier: MIT
"""recipe.py META VERSION FOLDER - what bioconda asks of a recipe, as far as it
is not of a release; its tests' commands go to FOLDER/commands, the files that
they need to FOLDER/files."""

import sys

import jinja2
import yaml

META, VERSION, FOLDER = sys.argv[1:]
with open(META, encoding="utf-8") as file:
    text = jinja2.Environment(undefined=jinja2.StrictUndefined).from_string(
        file.read()).render(
            compiler=lambda language: f"{language}_compiler_stub",
            stdlib=lambda language: f"{language}_stdlib_stub",
            pin_subpackage=lambda name, **_: name)
recipe = yaml.safe_load(text)
faults = []


def want(holds, what):
    if not holds:
        faults.append(what)


needs = recipe["requirements"]
about = recipe["about"]
want(recipe["package"] == {"name": "seqfilters", "version": VERSION},
     f"package is not that of version {VERSION}")
want(recipe["build"]["number"] == 0, "no build number")
want(recipe["build"]["run_exports"] == ["seqfilters"], "no run_exports")
want({"c_compiler_stub", "c_stdlib_stub"} <= set(needs["build"]),
     "no compiler, or no C library, among build")
want(not set(needs) - {"build", "host", "run"}, "unknown requirements")
want({"zlib", "libdeflate"} <= set(needs["host"]), "libraries are not of host")
want(about["license"] == "MIT" and about["license_file"] == "LICENSE",
     "no licence")
want(about["summary"] and len(about["summary"]) < 80, "no summary")
want(recipe["test"]["commands"], "no test")
want("noarch" not in recipe["build"], "noarch, and has programs")
print("\n".join(faults))
with open(f"{FOLDER}/commands", "w", encoding="utf-8") as file:
    file.write("".join(f"{c}\n" for c in recipe["test"]["commands"]))
with open(f"{FOLDER}/files", "w", encoding="utf-8") as file:
    file.write("".join(f"{f}\n" for f in recipe["test"]["source_files"]))
sys.exit(bool(faults))
