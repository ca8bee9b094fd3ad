"""Questions about a payments network: accounts, companies, devices and the transfers between them."""
