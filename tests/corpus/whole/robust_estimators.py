"""Robust and logistic regression by IRLS with sklearn-like estimators, loss classes, and a cross-validation generator."""

import numpy as np

from tests.corpus.case import at


class Loss:
    def weights(self, r):
        raise NotImplementedError

    def __str__(self):
        return type(self).__name__.lower()


class Huber(Loss):
    def __init__(self, c=1.345):
        self.c = c

    def weights(self, r):
        a = np.abs(r)
        return np.where(a <= self.c, 1.0, self.c / np.maximum(a, self.c))


class Tukey(Loss):
    def __init__(self, c=4.685):
        self.c = c

    def weights(self, r):
        u = np.minimum(np.abs(r) / self.c, 1.0)
        return (1.0 - u**2) ** 2


class Cauchy(Loss):
    def weights(self, r):
        return 1.0 / (1.0 + (r / 2.385) ** 2)


class Estimator:
    def get_params(self):
        return {k: v for k, v in vars(self).items() if not k.endswith("_")}

    def clone(self):
        return type(self)(**self.get_params())


class RobustRegression(Estimator):
    def __init__(self, loss, ridge=1e-3, iterations=10, tol=1e-8):
        self.loss = loss
        self.ridge = ridge
        self.iterations = iterations
        self.tol = tol

    def fit(self, X, y):
        A = np.c_[np.ones(len(X)), X]
        P = self.ridge * np.eye(A.shape[1])
        P[0, 0] = 0.0
        beta = np.linalg.solve(A.T @ A + P, A.T @ y)
        for self.n_iter_ in range(self.iterations):
            r = y - A @ beta
            scale = np.median(np.abs(r - np.median(r))) / 0.6745
            w = self.loss.weights(r / scale)
            AW = A * w[:, None]
            new = np.linalg.solve(AW.T @ A + P, AW.T @ y)
            step = np.linalg.norm(new - beta)
            beta = new
            if step < self.tol:
                break
        self.intercept_, self.coef_ = beta[0], beta[1:]
        return self

    def predict(self, X):
        return self.intercept_ + X @ self.coef_


def kfold(n, k):
    sizes = np.full(k, n // k)
    sizes[: n % k] += 1
    start = 0
    for size in sizes:
        test = np.arange(start, start + size)
        train = np.setdiff1d(np.arange(n), test)
        yield train, test
        start += size


def cross_validate(model, X, y, k=3, score=lambda y, p: np.mean(np.abs(y - p))):
    scores = []
    for train, test in kfold(len(y), k):
        fitted = model.clone().fit(X[train], y[train])
        scores.append(score(y[test], fitted.predict(X[test])))
    return np.array(scores)


rng = np.random.default_rng(4)
X0 = rng.normal(size=(15, 2))
NOISE = rng.normal(scale=0.2, size=15)
NOISE[[3, 9]] = [4.0, -5.0]


@at((np.array([1.2, -0.7]), 0.2, 1.5))
def losses_cross_validated(beta, ridge, c):
    y = 0.5 + X0 @ beta + NOISE * (1.0 + 0.1 * np.sin(beta[0]))
    report = {}
    for loss in (Huber(c), Tukey(3.0 * c), Cauchy()):
        model = RobustRegression(loss, ridge=ridge)
        cv = cross_validate(model, X0, y)
        model.fit(X0, y)
        report[str(loss)] = {"cv": cv.mean(), "coef": model.coef_, "intercept": model.intercept_}
    best = min(report.values(), key=lambda r: r["cv"])
    return best["coef"] @ best["coef"] + sum(r["cv"] for r in report.values()) + best["intercept"] ** 2
