"""A slow, independent model of BFV and BGV in plain Python integers.

Written from the papers' equations and docs/file-format.md, not from the Rust code: schoolbook
products, one big modulus instead of residues, exact rational rounding.

* `ring`: polynomials modulo x^n + 1 and an integer; `slots`: values at roots of unity;
* `bfv`, `bgv`: the schemes, over what they share in `rlwe`;
* `files`: an independent reader and writer of the file format.
"""
