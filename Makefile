# What a person types; the work is in scripts/. `make` alone lists the targets.
#
# Everything that is built lies in target/: the staged installation in target/starling, the Python
# environment in target/venv, the examples' results in target/examples.

CARGO ?= $(shell command -v cargo || echo $${CARGO_HOME:-$$HOME/.cargo}/bin/cargo)
PREFIX ?= /usr/local
export CARGO

.PHONY: help run test build setup setup-test stage python install bench-latency clean
.NOTPARALLEL:

help:
	@echo 'make run              set up, build, run the heat example in C and Python on 4 ranks'
	@echo 'make test             set up, build, run every test'
	@echo 'make build            build in release mode and stage in target/starling'
	@echo 'make install          copy the staged installation to PREFIX ($(PREFIX))'
	@echo 'make bench-latency    latency against MPICH, Open MPI and Intel MPI from PyPI'
	@echo 'make clean            remove everything that was built'

run: setup stage python
	@sh scripts/run_example.sh

test: setup-test stage python
	@bash scripts/run_tests.sh

build: stage

setup:
	@echo '== setting up'
	@sh scripts/setup.sh run

setup-test:
	@echo '== setting up'
	@sh scripts/setup.sh test

stage:
	@echo '== building in release mode (minutes, the first time)'
	$(CARGO) build --release -p libmpi_abi -p starling-launch
	@echo '== staging'
	@sh scripts/stage.sh

python: stage
	@echo '== Python environment'
	@sh scripts/python_env.sh

install:
	@sh scripts/stage.sh '$(PREFIX)'

bench-latency: setup stage
	@echo '== measuring against the peers'
	@$$(sh scripts/find_python.sh) bench/compare_latency.py $(BENCH_FLAGS)

clean:
	$(CARGO) clean
	rm -rf target bench/.peers
