"""What every test runs under. The network beyond loopback is blocked by `--allow-hosts` in pyproject.toml."""
