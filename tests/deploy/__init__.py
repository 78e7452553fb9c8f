"""Deployment: builds, packages, certificates, sockets, restarts and units."""
