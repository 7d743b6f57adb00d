"""
Documents in two languages
==========================

Word counts are sparse and stay sparse. Two views are generated here: the same 400
documents in two languages with 600 words each. Every topic makes some words more
frequent. A third of the documents exist in one language only.
"""

import matplotlib.pyplot as plt
import numpy as np
import scipy.sparse as sp

from mvgraph import GraphConsensus, metrics

rng = np.random.default_rng(0)
topic = rng.integers(0, 5, 400)


def counts(n_words: int) -> sp.csr_matrix:
    """Draw word counts: common words, and about 30 frequent words per topic."""
    rate = np.tile(rng.gamma(0.3, 0.05, n_words), (5, 1))
    for words in rate:
        words[rng.choice(n_words, 30, replace=False)] += 0.25
    return sp.csr_matrix(rng.poisson(rate[topic]))


english, french = counts(600), counts(600)
present = np.ones(400)
present[rng.permutation(400)[:133]] = 0
french = sp.csr_matrix(sp.diags(present) @ french)  # a row of zeros: no text
print("share of entries that are not zero:", round(english.nnz / 240000, 3))

# %%
# The default also tries tf-idf on views that look like word counts.

both = GraphConsensus(5, random_state=0).fit({"english": english, "french": french})
alone = GraphConsensus(5, random_state=0).fit(english)
for name, model in [("both", both), ("english alone", alone)]:
    print(f"{name:14} {metrics.accuracy(topic, model.labels_):.3f}")

# %%
# Words of every cluster: those with the mean count farthest above the overall mean.

fig, ax = plt.subplots(figsize=(6, 2.6), layout="constrained")
mean = np.stack([english[both.labels_ == k].mean(axis=0).A1 for k in range(5)])
top = np.argsort(-(mean - mean.mean(axis=0)), axis=1)[:, :8].ravel()
ax.imshow(mean[:, top], cmap="Blues", aspect="auto")
ax.set(yticks=range(5), xticks=[], ylabel="cluster", xlabel="8 top words per cluster")
plt.show()
