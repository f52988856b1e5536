# The two commands to know: `make play` and `make test`. Each target calls one script in Scripts/.

PREFIX ?= /usr/local
SUITE ?= trixie

# Targets write the same folders.
.NOTPARALLEL:
.PHONY: help play play-desktop setup build tools plugins install dist test test-release test-long test-on soak fuzz bench docs lint format check-boundaries clean

help: ## Lists the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-18s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

play: ## Installs what is missing, builds the terminal player and plays a demo with a spoken line
	@Scripts/play.sh

play-desktop: ## Installs what is missing, builds the desktop player and starts it
	@Scripts/play-desktop.sh

setup: ## Installs the system packages for building and testing
	@Scripts/setup.sh test

build: ## Writes build/: players, library and plugins that run from any folder
	@Scripts/build.sh

tools: ## Writes the tree of `make build`, but for the programs and the engine of Music Assistant, which take minutes to compile
	@DESCANT_WITHOUT_MUSIC_ASSISTANT=1 Scripts/build.sh

plugins: ## Writes the plugin bundles to build/lib/descant/plugins
	@Scripts/plugins.sh release build/lib/descant/plugins

install: ## Copies build/ to PREFIX (default /usr/local)
	@Scripts/install.sh "$(PREFIX)"

dist: ## Writes the release to build/dist: the archive of the sources and Debian packages
	@Scripts/dist.sh

test: ## Runs every test against real GStreamer, PulseAudio and bundles
	@Scripts/test.sh debug

test-release: ## The tests of the library, optimised
	@Scripts/test.sh release

test-long: ## The tests that take long: sanitizers, thousands of openings and damaged files, command sequences and broken connections
	@Scripts/test-long.sh

test-on: ## What `make play` and `make test` do, on another Debian: make test-on SUITE=trixie
	@Scripts/test-on.sh "$(SUITE)"

soak: ## Random operations over all services for HOURS of sound, one by default, as fast as it renders; fails when memory, threads or files grow
	@Scripts/soak.sh "$${HOURS:-1}"

fuzz: ## Feeds changed files, messages and requests to the parsers, guided by the code that they reach: make fuzz TIME=3600 for an hour each
	@Scripts/fuzz.sh

bench: ## Measures beside GStreamer, mpv and ffmpeg; CHECK=1 fails on a missed demand
	@Scripts/bench.sh

docs: ## Builds the documentation into build/docs and build/docs-music-assistant, and checks its coverage
	@Scripts/docs.sh

lint: ## Checks the formatting
	@Scripts/lint.sh

format: ## Formats the sources in place
	@Scripts/lint.sh --fix

check-boundaries: ## Checks which target may import which
	@swift Scripts/check-boundaries.swift

clean: ## Removes everything that was built
	rm -rf .build build Tests/Integration/.build
