"""Brain–computer interface: which hand is imagined, from covariance matrices, with private class means.

Notebook-style: every ``# %%`` starts a cell. Synthetic EEG: imagining a movement damps the 10 Hz rhythm over the opposite side of the
head.
"""

# %% One trial of each of 300 people: 8 channels, 2 seconds at 128 Hz, reduced to a covariance matrix.
import numpy as np
from sklearn.model_selection import train_test_split

from karcher.classification import PrivateMDM

rng = np.random.default_rng(7)
channels, samples, people = 8, 256, 300
mixing = np.eye(channels) + 0.3 * rng.normal(size=(channels, channels)) / np.sqrt(channels)


def trial(hand):
    sources = rng.normal(size=(channels, samples))
    rhythm = 1.2 * np.exp(0.4 * rng.normal(size=2))
    rhythm[0 if hand == "right" else 1] *= 0.5  # left hemisphere for the right hand
    sources[:2] *= rhythm[:, np.newaxis]
    signal = mixing @ sources
    return signal @ signal.T / samples


hands = rng.choice(["left", "right"], size=people)
covariances = np.array([trial(hand) for hand in hands])
X, X_test, y, y_test = train_test_split(covariances, hands, test_size=0.3, random_state=0, stratify=hands)

# %% Public knowledge: channels are scaled to about unit variance, and half an order of magnitude is much.
radius = 2.0

# %% Labels are public (the experimenter gave the instructions), so each class gets the whole budget.
for epsilon in (0.1, 0.3, 1.0, 3.0):
XX
    print(f"epsilon {epsilon:4}: accuracy {mdm.score(X_test, y_test):.3f} ({mdm.releases_[0].mechanism})")

# %% Without privacy, for comparison; pyRiemann's classifier is used in the same way.
try:
    from pyriemann.classification import MDM

    reference = MDM(metric="logeuclid").fit(X, y).score(X_test, y_test)
    print(f"without privacy:  accuracy {reference:.3f}")
    assert mdm.score(X_test, y_test) > reference - 0.1
except ImportError:
    print("no comparison: pip install pyriemann")
