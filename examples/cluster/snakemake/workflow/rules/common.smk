# SPDX-License-Identifier: MIT
import os

PARTS = range(config["parts"])


# All streams to be merged, when it is known whether chunks are missing.
def streams(wildcards):
    missing = checkpoints.missing.get().output[0]
    again = ["results/again.rec"] if os.path.getsize(missing) else []
    return ["results/plan.rec", *expand("results/part.{i}.rec", i=PARTS), *again]
