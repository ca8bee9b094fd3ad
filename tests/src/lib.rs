//! Nothing: this package holds the integration tests in `it/`.
