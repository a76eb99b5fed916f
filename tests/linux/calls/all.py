# SPDX-License-Identifier: MIT
"""Makes the calls whose answers a kernel and the virtual GPU's own driver must have in common, one line a call. With
names of groups: those. The group "resets" wants a driver that ends jobs, and so comes by its name alone."""
import sys

import call
import core
import files
import gem
import info
import resets
import sync
import work

GROUPS = {"core": core, "info": info, "gem": gem, "work": work, "sync": sync, "files": files}
NAMED = {"resets": resets}

call.start()
for group in sys.argv[1:] or GROUPS:
    for part in {**GROUPS, **NAMED}[group].ALL:
        print(f"## {group} {part.__name__}", flush=True)
        call.forget()
        part()
