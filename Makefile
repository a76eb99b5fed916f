# SPDX-License-Identifier: MIT
# A thin front for Meson. The two commands to know: make demo, make check.

# An empty environment has no PATH, and dpkg wants one.
PATH    ?= /usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export PATH

BUILD   ?= build
SANITIZE = build-sanitize
FUZZ     = build-fuzz
THREADS  = build-threads
# Warnings are errors in CI's plain build; at home they are only warnings, and under sanitizers gcc sees
# things that are not there.
WERROR   = $(if $(CI),true,false)
SETUP    = meson setup
# Of the builds for sanitizers and fuzzing: -O2 takes twice as long to compile there.
CHECKED  = -Doptimization=1

.PHONY: all tests deps demo check check-linux check-rocm check-plain check-sanitize check-sanitize-short sanitize-build check-threads check-threads-short threads-build check-fuzz bench format install deb check-deb check-reproducible book check-book vsix clean

# The programs, and what belongs to them. The tests are about as much again; Meson builds what a test needs when it is run.
all: deps $(BUILD)/build.ninja
	@$(NINJA_RUN) programs

tests: deps $(BUILD)/build.ninja
	@$(NINJA_RUN)

# On a terminal it shows how far it is: from nothing it takes some minutes.
NINJA_RUN = quiet=--quiet; [ ! -t 1 ] || quiet=; ninja -C $(BUILD) $$quiet

deps:
	@tools/install-deps.sh

$(BUILD)/build.ninja:
	@$(SETUP) -Dwerror=$(WERROR) $(BUILD) >$(BUILD).log 2>&1 || { cat $(BUILD).log; exit 1; }; mv $(BUILD).log $(BUILD)/setup.log

# Builds, then shows a kernel with a bug being debugged on the virtual GPU.
demo: all
	@examples/demo.sh $(BUILD)/breakwater

# All tests, again under ASan and UBSan those that are short there, those with threads under TSan, then a short run
# of the fuzz targets.
check: check-plain check-sanitize-short check-threads-short check-fuzz
	@echo "All checks passed."

# The VS Code extension: breakwater.vsix, for "Install from VSIX" or code --install-extension.
vsix:
	@tools/make-vsix.py breakwater.vsix && echo "breakwater.vsix"

check-plain: tests
	@tools/run-tests.py $(BUILD)

# Whole: what takes a boot of the guest for each case.
check-linux: tests
	@BREAKWATER_LINUX=whole meson test -C $(BUILD) --print-errorlogs --suite linux --timeout-multiplier 4

# rocminfo, HSA and HIP programs, on the virtual GPU's own /dev/kfd and on Linux's; fetches Debian's ROCm (62 MB).
check-rocm: tests
	@BREAKWATER_ROCM_TEST=whole meson test -C $(BUILD) --print-errorlogs --suite rocm --timeout-multiplier 4

# AddressSanitizer and UndefinedBehaviorSanitizer. CI leaves out the sessions that take longest there, of which each
# kind has shorter ones, and checks of the tree and of generators, which run no code of ours.
SANITIZE_LONG = api-(installed|python)|docs-(citations|errors|links|man-.*|session|tutorial.*)|e2e-(bisect|breadcrumbs|capture_modes|capture_names|check|check_bounds|check_gfx942|check_init|check_sync|conditions|decompile|filters|frames|habits|help|languages|lines|matrix|opencl|report|report_page|scan|selftest|source|stomp_waves|stopped|strangers|strict|torture|traces|tui|variables|waves)|(compiled|strict)-e2e-.*|vulkan-(attach|capture|corpus-universal-wave32|dispatch|patience|record|record-lines|shader|shaders)|dap-editors|completions|format.*|layers|names|gen-.*|join-isa|tools-.*
check-sanitize: sanitize-build
	@tools/run-tests.py $(SANITIZE) --timeout-multiplier 4

check-sanitize-short: sanitize-build
	@tools/run-tests.py $(SANITIZE) --timeout-multiplier 4 \
		$$(meson test -C $(SANITIZE) --no-rebuild --list 2>/dev/null | sed -n 's/.* \/ //p' | grep -vxE '$(SANITIZE_LONG)')

sanitize-build: deps
	@[ -f $(SANITIZE)/build.ninja ] || $(SETUP) $(SANITIZE) $(CHECKED) -Db_sanitize=address,undefined -Db_lundef=false >/dev/null
	@ninja -C $(SANITIZE) --quiet

# ThreadSanitizer: the device, its driver, the agent, live and whole sessions. CI has the part whose threads
# are few, and builds what that needs.
THREADS_SHORT = base-|wire-|kmd-|debug-|handles|layer$$|target-fake|vgpu-uapi-
check-threads: threads-build
	@meson test -C $(THREADS) --print-errorlogs --timeout-multiplier 6

check-threads-short: $(THREADS)/build.ninja
	@tools/run-tests.py $(THREADS) --timeout-multiplier 6 \
		$$(meson test -C $(THREADS) --no-rebuild --list 2>/dev/null | sed -n 's/.* \/ //p' | grep -E '^($(THREADS_SHORT))')

threads-build: $(THREADS)/build.ninja
	@ninja -C $(THREADS) --quiet

$(THREADS)/build.ninja: | deps
	@$(SETUP) $(THREADS) $(CHECKED) -Db_sanitize=thread -Db_lundef=false >/dev/null

# gcc's warnings are the ones we keep to; clang's would drown the findings.
check-fuzz: deps
	@[ -f $(FUZZ)/build.ninja ] || CC=clang-19 $(SETUP) $(FUZZ) $(CHECKED) -Dfuzz=true -Dc_args=-w -Db_sanitize=address,undefined -Db_lundef=false >/dev/null
	@FUZZ_SECONDS=$${FUZZ_SECONDS:-$(if $(CI),5,10)} tools/fuzz-smoke.sh $(FUZZ)

# The speed figures of doc/speed.md, measured on this machine.
bench: tests
	@tools/bench.sh $(BUILD)

format:
	clang-format-19 -i $$(git ls-files 'src/*.[ch]' 'include/*.h' 'tests/*.[ch]' 'examples/*.[ch]')

install: all
	@meson install -C $(BUILD) --no-rebuild

# The Debian packages, in build-deb; check-deb: lintian, and debian/tests in a bare Debian. SUITE=trixie does both for that
# Debian; by default it is 12, or for deb the one that this is. check-reproducible: two builds are the same, byte by byte.
deb:
	@tools/make-deb.sh build-deb $(SUITE)

check-deb: deb
	@tools/check-deb.sh build-deb $(SUITE)

check-reproducible:
	@tools/check-reproducible.sh build-deb

# doc/ and the manual pages as HTML, with a search: build/book/index.html. check-book: warnings are errors; then links,
# spelling and, in headless Chromium where it is installed, search, navigation and dark mode.
book: all
	@tools/install-deps.sh book
	@tools/make-book.py $(BUILD)

check-book: all
	@tools/install-deps.sh book
	@tools/make-book.py $(BUILD) --strict
	@tests/docs/book.py $(BUILD)

clean:
	rm -rf $(BUILD) $(SANITIZE) $(THREADS) $(FUZZ) build-deb
