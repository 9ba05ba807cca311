"""Catalogues that are not ours: the released DMV-Bench files, a folder of pictures, and the repair of a
leaking one."""
