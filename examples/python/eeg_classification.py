"""Brain–computer interface: which hand is imagined, from covariance matrices, with private class means.

Notebook-style: every ``# %%`` starts a cell. Synthetic EEG: imagining a movement damps the 10 Hz rhythm over the
opposite side of the head.
"""

# %% One trial of each of 300 people: 8 channels, 2 seconds at 128 Hz, in volts, reduced to a covariance matrix.
import numpy as np
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline

from karcher.classification import PrivateMDM
from karcher.preprocessing import ShrinkTrace

rng = np.random.default_rng(7)
channels, samples, people = 8, 256, 300
mixing = np.eye(channels) + 0.3 * rng.normal(size=(channels, channels)) / np.sqrt(channels)


def trial(hand):
    sources = rng.normal(size=(channels, samples))
    rhythm = 1.2 * np.exp(0.4 * rng.normal(size=2))
    rhythm[0 if hand == "right" else 1] *= 0.5  # left hemisphere for the right hand
    sources[:2] *= rhythm[:, np.newaxis]
    signal = 1e-5 * mixing @ sources
    return signal @ signal.T / samples


hands = rng.choice(["left", "right"], size=people)
covariances = np.array([trial(hand) for hand in hands])
X, X_test, y, y_test = train_test_split(covariances, hands, test_size=0.3, random_state=0, stratify=hands)

# %% In volts such matrices are 60 away from the identity. ShrinkTrace removes the unit, and knows a ball that holds
# every covariance matrix.
shrink = ShrinkTrace(alpha=0.1)
ball = shrink.ball(channels)
print(f"radius {ball['radius']:.2f}: every matrix lies in the ball, nothing has to be known about the data")

# %% Labels are public (the experimenter gave the instructions), so each class gets the whole budget. Four releases
# from the same people would
# add up to 4.4, and karcher would warn: for this demonstration the noise is reproducible, as that of a release must
# not be.
for epsilon in (0.1, 0.3, 1.0, 3.0):
    model = make_pipeline(shrink, PrivateMDM(**ball, epsilon=epsilon, delta=1e-6, random_state=0)).fit(X, y)
    print(f"epsilon {epsilon:4}: accuracy {model.score(X_test, y_test):.3f} ({model[-1].releases_[0].mechanism})")

# %% Without privacy, for comparison; pyRiemann's classifier is used in the same way.
try:
    from pyriemann.classification import MDM

    reference = make_pipeline(shrink, MDM(metric="logeuclid")).fit(X, y).score(X_test, y_test)
    print(f"without privacy:  accuracy {reference:.3f}")
    assert model.score(X_test, y_test) > reference - 0.1
except ImportError:
    print("no comparison: pip install pyriemann")

# %% The private class means: the power of the first two channels, over the two hands' areas, is exchanged.
try:
    import matplotlib.pyplot as plt

    fig, axes = plt.subplots(1, 2, figsize=(6, 3), layout="constrained")
    for ax, hand, mean in zip(axes, model[-1].classes_, model[-1].covmeans_):
        image = ax.imshow(mean, vmin=-2, vmax=2, cmap="RdBu_r")
        ax.set(title=f"{hand} hand", xlabel="channel", ylabel="channel")
    fig.colorbar(image, ax=axes, label="shrunk covariance, without unit")
    plt.show()
except ImportError:
    print("no picture: pip install matplotlib")
