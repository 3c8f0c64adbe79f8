"""Studies of the devices.

``python -m cyclotron.report prng|bfv|mini|bgv|all [--out DIR] [--quick]`` makes them.
Needs matplotlib and scipy, which the package itself does not.

* `prng`: the noise generators, with `generators` and `nist`;
* `bfv`, `mini`: cycles and times of the BFV devices, with `tables` and `charts`;
* `bgv`: the BGV accelerator beside its paper, with `bgv_study` and `bgv_paper`.
"""
