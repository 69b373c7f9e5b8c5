# sovrun: build, test, measure. "make help" lists the targets.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := build

PREFIX ?= /usr/local
DESTDIR ?=

# Not "git describe --dirty": it locks and rewrites the index, and a build may not write to the repository.
VERSION := $(shell git describe --tags --always 2>/dev/null || echo unknown)$(shell git --no-optional-locks status --porcelain --untracked-files=no 2>/dev/null | sed -n '1s/.*/-dirty/p')
GOBUILD = go build -trimpath -buildvcs=false -ldflags '-s -w -X main.version=$(VERSION)' -o bin/

.PHONY: help deps check build test test-root test-user race fuzz soak lint generate drift bench bench-quick comparison contract contract-falsify demo install clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1: /p' $(firstword $(MAKEFILE_LIST)) | awk -F': ' '{ printf "%-12s %s\n", $$1, $$2 }'

deps: ## install the Debian packages that are missing, and say which (needs root or sudo)
	@.ci/deps

build: ## build bin/sovrun (pure Go, static) and bin/sovrun-seccomp (cgo, libseccomp)
	@CGO_ENABLED=0 $(GOBUILD) ./cmd/sovrun
	@CGO_ENABLED=1 $(GOBUILD) ./cmd/sovrun-seccomp
	@echo "built bin/sovrun and bin/sovrun-seccomp, $(VERSION)"

check: lint ## before a commit: lint, and the tests as whoever you are
	@.ci/test here

test: deps build ## every test, as root and again as an ordinary user made for the run
	@.ci/test all

test-root: deps build ## the first half of make test
	@.ci/test root

test-user: deps build ## the second half of make test
	@.ci/test user

race: deps build ## the tests under the race detector, as whoever you are
	@TESTFLAGS=-race .ci/test here

fuzz: deps ## every fuzzer for 30 seconds (FUZZTIME=5m for longer)
	@.ci/fuzz

soak: deps build ## what takes long: ten thousand launches in a row, every fuzzer for minutes
	@SOVRUN_TEST_SOAK=1 PACKAGES=./integration/load .ci/test all
	@FUZZTIME=5m .ci/fuzz

lint: deps build ## format, vet, staticcheck, known vulnerabilities, and the rules of this repository
	@.ci/lint

generate: deps ## make the generated files anew
	go generate ./...

drift: deps ## fail when a generated file is not what make generate makes
	@.ci/drift

bench: deps build ## measure against bubblewrap and a C launcher, write docs/benchmarks.md
	go run ./integration/bench -full -sovrun bin/sovrun -out docs/benchmarks.md

bench-quick: deps build ## the same in a minute, for a look; writes nothing
	go run ./integration/bench -quick -sovrun bin/sovrun

comparison: deps build ## the same tries under other sandboxes, write docs/comparison.md (root)
	go run ./integration/comparison -out docs/comparison.md

contract: deps build ## run the checks of docs/contract.md (ID=H2 for one)
	@go run ./integration/contract $(ID)

contract-falsify: deps build ## turn each guard off, in test builds, and see its check fail (ID=P2 for one)
	@go run ./integration/contract -falsify $(ID)

demo: deps build ## a report, real work in a sandbox, and ten escapes that fail
	@go run ./integration/demo

install: deps build ## install into $(DESTDIR)$(PREFIX)/bin
	@install -D -m 0755 -t $(DESTDIR)$(PREFIX)/bin bin/sovrun bin/sovrun-seccomp
	@echo "installed into $(DESTDIR)$(PREFIX)/bin"

clean: ## remove what was built and fetched
	rm -rf bin
