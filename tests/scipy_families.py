"""Families of distributions of `scipy.stats` with the shapes at which they are judged, and their functions."""

CONTINUOUS: dict[str, tuple[float, ...]] = {
    "norm": (),
    "uniform": (),
    "expon": (),
    "gamma": (2.3,),
    "beta": (1.7, 2.2),
    "lognorm": (0.8,),
    "t": (3.7,),
    "chi2": (4.2,),
    "laplace": (),
    "logistic": (),
    "cauchy": (),
    "weibull_min": (1.6,),
    "pareto": (4.5,),
    "invgamma": (3.4,),
    "halfnorm": (),
    "halfcauchy": (),
    "truncnorm": (-0.7, 1.9),
    "gumbel_r": (),
    "f": (5.1, 7.3),
    "rayleigh": (),
}
DISCRETE: dict[str, tuple[tuple[float, ...], float]] = {
    "poisson": ((), 2.3),
    "binom": ((7,), 0.3),
    "bernoulli": ((), 0.35),
    "nbinom": ((3.0,), 0.4),
    "geom": ((), 0.3),
}
AT_PLACES = ("logpdf", "pdf", "cdf", "sf", "logcdf", "logsf")
AT_SHARES = ("ppf", "isf")
