"""
A satellite image
=================

Pixels are samples, and optical bands and radar are views. Pixels without any data are
left out, and the classes are put back into the grid. The image is generated.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy import ndimage

from mvgraph import GraphConsensus, metrics

rng = np.random.default_rng(0)
height, width = 60, 80
fields = ndimage.gaussian_filter(rng.normal(size=(4, height, width)), (0, 6, 6))
truth = fields.argmax(axis=0)  # four kinds of land


def bands(n: int, noise: float) -> np.ndarray:
    """Draw n bands, shape (n, height, width)."""
    colours = rng.normal(size=(4, n))
    image = np.moveaxis(colours[truth], 2, 0)
    return image + noise * rng.normal(size=image.shape)


optical, radar = bands(6, 0.9), bands(2, 0.7)
optical[:, :, 60:] = np.nan  # clouds
optical[:, :8], radar[:, :8] = np.nan, np.nan  # outside the scene

# %%
# A pixel is a row. A row that is NaN throughout means that the view is missing; pixels
# without both views are not samples.

views = [image.reshape(len(image), -1).T for image in (optical, radar)]
valid = ~np.all([np.isnan(x).all(axis=1) for x in views], axis=0)
model = GraphConsensus(4, random_state=0).fit([x[valid] for x in views])
print("pixels:", valid.sum(), "of", valid.size)
score = metrics.accuracy(truth.ravel()[valid], model.labels_)
print(f"accuracy: {score:.3f}")

# %%
# The classes in the grid of the image, -1 where there is no data.

classes = np.full(height * width, -1)
classes[valid] = model.labels_
fig, axes = plt.subplots(1, 2, figsize=(7, 2.8), layout="constrained")
for ax, image, title in zip(
    axes, (truth, classes.reshape(height, width)), ("land", "clusters"), strict=True
):
    ax.imshow(np.ma.masked_less(image, 0), cmap="tab10", vmin=0, vmax=9)
    ax.set(title=title, xticks=[], yticks=[])
plt.show()
