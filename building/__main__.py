"""``python -m building``: rebuilds the site for an editable installation of the checkout."""

from building.site import BUILT, write_site

write_site(BUILT)
