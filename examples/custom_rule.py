"""Give a compiled SciPy function a derivative rule, and use it to fit a distribution by Newton's method.

`scipy.special.gammaln` has no Python source, so adxform cannot look inside. Two rules of a few lines state its first two
derivatives; after that it is a function like any other, in either mode, for gradients and Hessians.

    python examples/custom_rule.py
"""

from __future__ import annotations

import numpy as np
from scipy.special import digamma, gammaln, polygamma

import adxform


@adxform.rule(gammaln)
def gammaln_rule(x):
    """The derivative of log-gamma is digamma."""

    def pullback(y_ct):
        return (y_ct * digamma(x),)

    return gammaln(x), pullback


@adxform.rule(digamma)
def digamma_rule(x):
    """The derivative of digamma is trigamma; that one has no rule, so third derivatives end in a clear error."""

    def pullback(y_ct):
        return (y_ct * polygamma(1, x),)

    return digamma(x), pullback


def negative_log_likelihood(theta, x):
    """Return minus the log-likelihood of a gamma distribution; theta: logarithms of shape and rate."""
    shape, rate = np.exp(theta[0]), np.exp(theta[1])
    return np.sum(gammaln(shape) - shape * theta[1] - (shape - 1.0) * np.log(x) + rate * x)


def main() -> None:
    """Check the rule, fit by Newton's method, and print the estimates."""
    adxform.check_rule(gammaln, [(2.5,), (np.array([0.5, 3.0]),)])
    x = np.random.default_rng(1).gamma(shape=3.0, scale=0.5, size=2000)
    gradient, hessian = adxform.grad(negative_log_likelihood), adxform.hessian(negative_log_likelihood)
    theta = np.log([x.mean() ** 2 / x.var(), x.mean() / x.var()])  # the estimates by moments
    for step in range(20):
        slope = gradient(theta, x)
        print(f"step {step}: shape {np.exp(theta[0]):.6f}, rate {np.exp(theta[1]):.6f}, gradient {np.abs(slope).max():.1e}")
        if np.abs(slope).max() < 1e-8:
            break
        theta = theta - np.linalg.solve(hessian(theta, x), slope)
    shape, rate = np.exp(theta)
    assert abs(shape / rate - x.mean()) < 1e-9, "at the maximum the mean is matched"


if __name__ == "__main__":
    main()
