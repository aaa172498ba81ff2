"""Words in context (SPEC §9): datasets built as BioWiC was, checked, with baselines and scores."""
