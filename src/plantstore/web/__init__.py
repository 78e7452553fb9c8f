"""The pages for people: templates, styles and scripts, named after their content; knows no HTTP."""
