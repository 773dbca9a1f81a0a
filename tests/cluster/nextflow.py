# SPDX-License-Identifier: MIT
"""nextflow.py FILE ... - what can be said of Nextflow's files without Nextflow:
brackets and strings are closed, processes have their sections, and what they
run is something that bash can parse."""

import re
import subprocess
import sys
import textwrap

TOKEN = re.compile(
    r"""//[^\n]* | /\*.*?\*/ | \"\"\".*?\"\"\" | '''.*?''' |
        "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*' | [][(){}"'] """,
    re.S | re.X)
PAIRS = {")": "(", "]": "[", "}": "{"}


def balance(text):
    """Brackets outside of strings and comments."""
    stack = []
    for t in TOKEN.finditer(text):
        line = text.count("\n", 0, t.start()) + 1
        t = t.group()
        if t in "([{":
            stack.append((t, line))
        elif t in PAIRS:
            if not stack or stack.pop()[0] != PAIRS[t]:
                return f"{line}: {t} closes nothing"
        elif t in ('"', "'"):
            return f"{line}: a string that does not end"
    return f"{stack[-1][1]}: {stack[-1][0]} is not closed" if stack else None


def scripts(text):
    """The commands of each process, names of Groovy replaced by a word."""
    for block in re.findall(r'"""(.*?)"""', text, re.S):
        block = re.sub(r"(?<!\\)\$(\{[^}]*\}|[\w.]+)", "word", block)
        yield textwrap.dedent(block.replace("\\$", "$"))


def faults(name):
    with open(name, encoding="utf-8") as f:
        text = f.read()
    fault = balance(text)
    if fault:
        yield fault
    for process in re.split(r"^process (?=[A-Z])", text, flags=re.M)[1:]:
        for section in "input:", "output:", "script:":
            if not re.search(rf"^\s+{section}$", process, re.M):
                yield f"{process.split()[0]} has no {section}"
    for script in scripts(text):
        r = subprocess.run(["bash", "-n"], input=script, text=True,
                           capture_output=True)
        if r.returncode or r.stderr:
            yield r.stderr.strip()


found = [f"{name}: {fault}" for name in sys.argv[1:] for fault in faults(name)]
print("\n".join(found))
sys.exit(bool(found) or len(sys.argv) < 2)
