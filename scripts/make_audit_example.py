"""Write docs/svm.csv, the data of docs/tutorials/first-audit.md: an SVM on breast cancer data.

Each row is the accuracy of one cross-validation fold for one setting of C and gamma.
"""

from pathlib import Path

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

X, y = load_breast_cancer(return_X_y=True)
folds = RepeatedStratifiedKFold(n_splits=5, n_repeats=2, random_state=0)
rows = ["log10_C,log10_gamma,accuracy"]
for log_c in np.linspace(-1, 3, 5):
    for log_gamma in np.linspace(-4, 0, 5):
        model = make_pipeline(StandardScaler(), SVC(C=10**log_c, gamma=10**log_gamma))
        rows += [f"{log_c:g},{log_gamma:g},{score:.6f}" for score in cross_val_score(model, X, y, cv=folds)]
path = Path(__file__).parent.parent / "docs" / "svm.csv"
path.write_text("\n".join([*rows, ""]), encoding="ascii")
print(f"wrote {path}: {len(rows) - 1} measurements")
