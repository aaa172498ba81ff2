"""The house linker and its parts: candidates by names, features, boosted trees."""
