"""Words in context: datasets built as BioWiC was, checked, with baselines and scores. Defined in WIC-1 and on."""
