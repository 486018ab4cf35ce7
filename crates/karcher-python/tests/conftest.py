import os

# a screen is not needed, and one thread a library is enough
os.environ.setdefault("MPLBACKEND", "Agg")
os.environ.setdefault("GEOMSTATS_BACKEND", "numpy")
