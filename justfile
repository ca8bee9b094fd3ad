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

# Licences of everything we link.
licences:
    cargo xtask licences

# Kill a process in the middle of its commits, so many times, and look at what is left.
crash KILLS="1000":
    TRIMORPH_KILLS={{KILLS}} cargo test -p trimorph-tests --test it -- --nocapture killed::what_was_acknowledged

# Follow another process that writes in every way and is killed now and then, for so many seconds.
follow SECONDS="300":
    TRIMORPH_FOLLOW_SECONDS={{SECONDS}} cargo test -p trimorph-tests --test it -- --nocapture followers
