"""Small tools and services that speak as well-known ones do, quirks included, and know only a list of names."""
