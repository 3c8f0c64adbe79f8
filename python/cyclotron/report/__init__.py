"""Studies of the devices: ``python -m cyclotron.report prng|bfv|mini|all [--out DIR] [--quick]``.

Needs matplotlib and scipy, which the package itself does not.

* `prng`: the noise generators, with `generators` and `nist`;
* `bfv`, `mini`: cycles and times of the BFV devices, with `tables` and `charts`.
"""
