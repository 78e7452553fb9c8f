"""The web pages: templates, styles and scripts, versioned by their hash; knows no HTTP."""
