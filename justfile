# One line each; the logic is in xtask. `just` without a recipe lists them.
default:
    @just --list

# Everything CI runs, from a clean clone.
ci:
    bash .ci/run

# Fast: types, lints, house rules.
check:
    cargo clippy --workspace --all-targets
    cargo xtask tidy

# All Rust tests.
test:
    cargo test --workspace --exclude trimorph-python

# Generate a network, load it, ask it things.
demo:
    cargo run --release -p trimorph-cli -- demo

# The Python module into the active environment, and its tests.
python:
    pip install . && pytest tests/python

# Us and other systems, in turns (see bench/README.md).
bench *ARGS:
    python bench/run.py {{ARGS}}

# Everything that is published, into target/dist: wheels, source, archive of the command line, packed crates. Publishes nothing.
dist: wheels sdist binaries crates

# Wheels for this machine, and for the other Linux where a cross compiler is at hand.
wheels *TARGETS:
    .dist/wheels {{TARGETS}}

# The source distribution for pip.
sdist:
    .dist/sdist

# The command line, stripped, as an archive.
binaries:
    .dist/binaries

# The crates as they would be published, each built from its package.
crates *ARGS:
    .dist/crates {{ARGS}}

# The book as a site, with search, into target/book (`cargo install mdbook`).
book:
    mdbook build docs

# An image with the command line (docker or podman).
container:
    .dist/container

# Licences of everything we link.
licences:
    cargo xtask licences

# Kill a process in the middle of its commits, so many times, and look at what is left.
crash KILLS="1000":
    TRIMORPH_KILLS={{KILLS}} cargo test -p trimorph-tests --test it -- --nocapture killed::what_was_acknowledged

# Follow another process that writes in every way and is killed now and then, for so many seconds.
follow SECONDS="300":
    TRIMORPH_FOLLOW_SECONDS={{SECONDS}} cargo test -p trimorph-tests --test it -- --nocapture followers

# Kill a process in the middle of merges, checkpoints, log switches, loads and index builds, so many times each.
crash-phases KILLS="200":
    TRIMORPH_KILLS_OF_A_PHASE={{KILLS}} cargo test -p trimorph-tests --test it -- --nocapture killed_phases::what

# A disk that fails at every call of all that a database does, so many states that it may be left in for each.
faults SEEDS="3":
    TRIMORPH_LIFE_SEEDS={{SEEDS}} cargo test -p trimorph-tests --test it -- --nocapture faults_of

# Random concurrent histories against a serial oracle, so many at each level, from a seed on.
histories COUNT="20000" SEED="1":
    TRIMORPH_HISTORIES={{COUNT}} TRIMORPH_HISTORIES_SEED={{SEED}} cargo test -p trimorph-tests --test it -- --nocapture histories

# Threads that ask one database for all that it does, so many, for so many seconds, from a seed on: nobody waits for ever.
crowd SECONDS="600" SEED="1" THREADS="16":
    TRIMORPH_CROWD_SECONDS={{SECONDS}} TRIMORPH_CROWD_SEED={{SEED}} TRIMORPH_CROWD_THREADS={{THREADS}} cargo test -p trimorph-tests --test it -- --nocapture crowd::nobody

# Random write programs beside a model, on a disk that fails now and then, so many statements, from a seed on.
programs STEPS="1000000" SEED="1":
    TRIMORPH_PROGRAM_STEPS={{STEPS}} TRIMORPH_PROGRAM_SEED={{SEED}} cargo test -p trimorph-tests --test it -- --nocapture programs::random
