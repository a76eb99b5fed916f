# SPDX-License-Identifier: MIT
"""Makes the calls whose answers a kernel and the virtual GPU's own driver must have in common, one line a call. With
names of groups: those."""
import sys

import call
import core
import files
import gem
import info
import sync
import work

GROUPS = {"core": core, "info": info, "gem": gem, "work": work, "sync": sync, "files": files}

call.start()
for group in sys.argv[1:] or GROUPS:
    for part in GROUPS[group].ALL:
        print(f"## {group} {part.__name__}", flush=True)
        call.forget()
        part()
