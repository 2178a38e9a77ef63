"""Functions of SciPy's statistics, integrals, solvers and interpolants without a rule: why, and what to do instead."""

from __future__ import annotations

from adxform.primitives.refusals.no_rule import Group

_OUTSIDE = "call it outside of the function and pass what it returns"

STATS: tuple[Group, ...] = (
    Group("ConstantInputWarning NearConstantInputWarning DegenerateDataWarning FitError test", "is no function of numbers"),
    Group("BootstrapMethod MonteCarloMethod PermutationMethod CensoredData", "holds options or samples"),
    Group(
        "alexandergovern anderson anderson_ksamp ansari barnard_exact binomtest boschloo_exact brunnermunzel bws_test "
        "chatterjeexi combine_pvalues cramervonmises cramervonmises_2samp dunnett "
        "epps_singleton_2samp "
        "false_discovery_control fisher_exact fligner goodness_of_fit ks_1samp "
        "kstest logrank median_test mood multiscale_graphcorr "
        "page_trend_test poisson_means_test power quantile_test shapiro "
        "tukey_hsd bootstrap monte_carlo_test permutation_test",
        "tests a hypothesis: a result for people, by ranks, tables or resampling",
        "write the statistic out by `np.mean`, `np.var`, …, and its p-value by `sf` of the distribution",
    ),
    Group(
        "spearmanrho somersd weightedtau siegelslopes theilslopes tiecorrect percentileofscore mode",
        "follows from the order of samples, which jumps where two of them meet",
        "wrap the call in `stop_gradient`, or use `np.corrcoef` or `np.polyfit`",
    ),
    Group(
        "binned_statistic_2d binned_statistic_dd cumfreq relfreq ecdf",
        "sorts samples into bins, or counts them",
        "use `np.bincount(places, weights=x)`, or `np.histogram`",
    ),
    Group(
        "boxcox_normmax boxcox_normplot yeojohnson_normmax yeojohnson_normplot ppcc_max ppcc_plot probplot fit bayes_mvs mvsdist "
        "sobol_indices",
        "searches for parameters, or draws a plot",
        "minimise the negative `logpdf` or `boxcox_llf` with `scipy.optimize.minimize`, which moves with the samples",
    ),
    Group(
        "sigmaclip trim1 trimboth scoreatpercentile obrientransform tmax tmin",
        "leaves samples out, by values or limits",
        "choose them by a mask, `x[keep]`, or `np.where`; of a share use `np.sort(x)[n:-n]`",
    ),
    Group(
        "wasserstein_distance_nd differential_entropy lmoment expectile directional_stats quantile",
        "is of sorted samples, or of angles, in a form that is not followed",
        "write it out with `np.sort`, `np.arctan2`, `np.quantile`",
    ),
    Group(
        "Normal Uniform Logistic Binomial Mixture make_distribution truncate abs exp log order_statistic Covariance",
        "is of random variables as objects, whose methods are not followed",
        "use the distributions that have methods: `scipy.stats.norm.logpdf(x, loc, scale)`",
    ),
    Group(
        "rv_continuous rv_discrete rv_histogram",
        "makes a distribution of a class of yours, whose methods SciPy calls",
        "call the functions that it is made of yourself",
    ),
    Group(
        "dirichlet_multinomial matrix_t multivariate_hypergeom "
        "normal_inverse_gamma ortho_group random_correlation random_table special_ortho_group uniform_direction unitary_group "
        "vonmises_fisher",
        "is a distribution of which adxform has no formula",
        "write its density out, with `scipy.special.gammaln` and `np.linalg.slogdet`",
    ),
)

INTEGRATE: tuple[Group, ...] = (
    Group("IntegrationWarning ODEintWarning test", "is no function of numbers"),
    Group("lebedev_rule newton_cotes", "gives weights, by whole numbers", _OUTSIDE),
    Group(
        "BDF DOP853 LSODA RK23 RK45 Radau DenseOutput OdeSolution OdeSolver ode complex_ode",
        "makes an object that takes steps where it is told to",
        "use `scipy.integrate.solve_ivp`, or write the steps as a loop",
    ),
    Group(
        "cubature qmc_quad tanhsinh nsum",
        "chooses points, or extrapolates, in a form that is not followed",
        "use `quad` or `dblquad`, or `fixed_quad` within one another",
    ),
)

OPTIMIZE: tuple[Group, ...] = (
    Group(
        "OptimizeWarning NoConvergence linprog_verbose_callback show_options test OptimizeResult RootResults",
        "is raised, holds what is found, or tells of it",
    ),
    Group(
        "BFGS SR1 HessianUpdateStrategy BroydenFirst InverseJacobian KrylovJacobian LbfgsInvHessProduct",
        "holds options of a solver",
    ),
    Group("approx_fprime check_grad", "makes differences of a function", "use `adxform.grad` of it"),
    Group(
        "fmin_tnc fmin_cobyla brute",
        "finds a minimum in a form that is not followed",
        "use `scipy.optimize.minimize`, from where that minimum lies",
    ),
    Group("bracket line_search", "takes steps that a search chooses", _OUTSIDE),
    Group(
        "milp quadratic_assignment",
        "chooses a corner, which jumps",
        "take the corner outside, and write its value: `c @ x`",
    ),
    Group(
        "isotonic_regression",
        "solves with bounds, of which some hold",
        "use `lsq_linear` with bounds on the differences",
    ),
)

INTERPOLATE: tuple[Group, ...] = (
    Group("test", "runs tests"),
    Group(
        "AAA FloaterHormannInterpolator pade approximate_taylor_polynomial",
        "is a rational function or a polynomial through points, by divisions that cancel",
        "use `BarycentricInterpolator`, `np.polyfit` and `np.polyval`, or a spline",
    ),
    Group(
        "BPoly NdPPoly NdBSpline insert sproot",
        "is a piecewise polynomial in a form that is not followed",
        "use `CubicSpline`, `PchipInterpolator` or `BSpline`",
    ),
    Group(
        "BivariateSpline LSQBivariateSpline "
        "LSQSphereBivariateSpline RectSphereBivariateSpline SmoothBivariateSpline "
        "SmoothSphereBivariateSpline bisplev bisplrep spalde generate_knots "
        "make_splprep make_splrep",
        "fits a spline, with knots that it may choose",
        "use `make_interp_spline(x, y)`, or `splev` of coefficients of yours",
    ),
    Group(
        "CloughTocher2DInterpolator interp2d",
        "finds the cell of a place, and estimates slopes at points",
        "use `LinearNDInterpolator`, `RegularGridInterpolator`, or `scipy.ndimage.map_coordinates`",
    ),
)
