"""How the service is run: certificates, restarts, sockets, packages, units."""
