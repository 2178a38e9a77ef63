"""Functions of SciPy's packages of arrays without a rule: why, and what to do instead."""

from __future__ import annotations

from adxform.primitives.refusals.no_rule import Group

_OUTSIDE = "call it outside of the function and pass what it returns"
_STATE = "write it out by functions that have a derivative, or state one with `adxform.rule`"
_CONSTANT = "makes a matrix of numbers that are given once"

LINALG: tuple[Group, ...] = (
    Group("LinAlgWarning", "is raised, and holds no numbers"),
    Group("test get_blas_funcs get_lapack_funcs find_best_blas_type", "says what is installed"),
    Group("bandwidth ishermitian issymmetric", "says where a matrix is zero, or equal to its transpose"),
    Group(
        "cdf2rdf rsf2csf qz ordqz hessenberg rq ldl cossin",
        "gives factors that are not unique, or real or complex ones, as the values say",
        "use `scipy.linalg.qr`, `svd`, `eigh` or `cholesky`, whose factors have derivatives",
    ),
    Group(
        "schur matrix_balance",
        "gives real or complex numbers, an order or a scale, as the values say",
        "of symmetric matrices use `eigh` or `eigvalsh`; of others `eigvals`, or `np.linalg.eig(a + 0j)`",
    ),
    Group(
        "qr_delete qr_insert qr_multiply qr_update",
        "changes or applies factors that were found before",
        "factor the matrix itself: `scipy.linalg.qr(a, mode='economic')`",
    ),
    Group(
        "eig_banded",
        "takes a matrix by its diagonals, and chooses the signs of vectors",
        "make the matrix of them (`np.diag(d) + np.diag(e, 1) + …`), and use `eigh`; of the values alone `eigvals_banded`",
    ),
    Group(
        "signm",
        "jumps, where an eigenvalue comes to the imaginary axis",
        "wrap the call in `stop_gradient`, or use `solve(sqrtm(a @ a), a)`",
    ),
    Group("funm", "is given a function, whose derivatives it would have to know", "use `expm`, `logm`, `sqrtm`, `cosm`, …"),
    Group("expm_cond", "is a condition number of a function, a norm of its derivatives", _STATE),
    Group(
        "clarkson_woodruff_transform",
        "draws random numbers",
        "draw the matrix outside of the function, and multiply with it",
    ),
    Group(
        "dft hadamard helmert hilbert invhilbert pascal invpascal",
        _CONSTANT,
        "make it outside of the function, if it is not taken as a number there",
    ),
    Group(
        "diagsvd fiedler_companion",
        "puts numbers into the places of a matrix",
        "write it with `np.diag`, `np.stack` or `scipy.linalg.toeplitz`",
    ),
)

FFT: tuple[Group, ...] = (
    Group(
        "get_workers set_workers register_backend set_backend set_global_backend skip_backend prev_fast_len test",
        "is a setting, or a length",
    ),
    Group("fht ifht fhtoffset", "has coefficients that follow from its offset by gamma functions", _STATE),
    Group(
        "hfft2 hfftn ihfft2 ihfftn",
        "is a transform of half of an array along several axes",
        "use `fftn` or `ifftn`, and take the real part or the half of it",
    ),
)

FFTPACK: tuple[Group, ...] = (Group("test", "runs SciPy's own tests"),)

SIGNAL: tuple[Group, ...] = (
    Group("BadCoefficients test choose_conv_method band_stop_obj", "is no function of numbers that move"),
    Group("check_COLA check_NOLA", "gives truth values"),
    Group("correlation_lags argrelextrema argrelmax argrelmin find_peaks_cwt", "gives places, which do not move"),
    Group(
        "peak_prominences peak_widths unique_roots",
        "follows from places that jump, beside numbers that do not",
        "find the places outside of the function, and take the values there: `x[peaks] - x[bases]`",
    ),
    Group(
        "CZT ZoomFFT ShortTimeFFT ZerosPolesGain dlti",
        "makes an object with methods of which adxform has no formulas",
        "use functions of arrays: `lfilter`, `freqz`, `np.fft.fft`, a product with the matrix of a transform",
    ),
    Group(
        "bessel iirdesign iircomb firls firwin2 firwin_2d remez "
        "gammatone buttap cheb1ap cheb2ap ellipap besselap buttord cheb1ord cheb2ord ellipord kaiserord kaiser_atten "
        "kaiser_beta minimum_phase closest_STFT_dual_window",
        "designs a filter, by searches and choices that are not followed",
        "design it outside of the function, and pass its coefficients to `lfilter` or `sosfilt`",
    ),
    Group(
        "bilinear bilinear_zpk lp2bp lp2bp_zpk lp2bs lp2bs_zpk lp2hp lp2hp_zpk lp2lp lp2lp_zpk findfreqs normalize "
        "abcd_normalize place_poles sos2tf sos2zpk ss2tf ss2zpk tf2sos tf2ss tf2zpk zpk2sos zpk2ss zpk2tf "
        "residue residuez invres invresz lfiltic",
        "writes a system in another form, of which length and order follow from values",
        "bring it into that form outside of the function, and pass its coefficients",
    ),
    Group(
        "freqz_zpk dbode dfreqresp",
        "gives a response at frequencies that it may choose itself, with angles that are unwrapped",
        "use `freqz`, or `np.polyval(b, s) / np.polyval(a, s)` at frequencies of yours",
    ),
    Group(
        "dimpulse dstep",
        "simulates a system, at times that it may choose itself",
        "write the recurrence as a loop, with `scipy.linalg.expm` for its steps, or use `lfilter`",
    ),
    Group(
        "vectorstrength envelope",
        "estimates a spectrum, by segments, windows and scales of its options",
        "use `welch`, `periodogram` or `spectrogram`, or write it out with `np.fft.rfft` of windowed segments",
    ),
    Group(
        "order_filter",
        "chooses among neighbours",
        "use `scipy.ndimage.median_filter` or `np.median` or `np.sort` of `np.lib.stride_tricks.sliding_window_view(x, n)`",
    ),
    Group(
        "czt czt_points zoom_fft hilbert2 sepfir2d symiirorder1 symiirorder2",
        "is made of transforms and filters that are not followed in this form",
        "use `filtfilt`, `lfilter`, `convolve` or a product with the matrix of the transform",
    ),
    Group(
        "cspline1d cspline1d_eval cspline2d qspline1d qspline1d_eval qspline2d spline_filter gauss_spline",
        "is of splines in a form that is not followed",
        "use `scipy.interpolate.make_interp_spline` or `scipy.ndimage.spline_filter1d`",
    ),
    Group(
        "gausspulse sawtooth square sweep_poly savgol_coeffs",
        "makes a waveform, or weights, of parameters by its options",
        "write it out: `np.cos(2 * np.pi * (f0 * t + k * t**2 / 2))`",
    ),
    Group(
        "get_window",
        "makes a window by its name",
        "call the function of that name: `scipy.signal.windows.hann(n, sym=False)`",
    ),
    Group(
        "windows.chebwin windows.taylor windows.dpss windows.kaiser_bessel_derived",
        "is a window with parameters, by which it is not followed",
        "make it of numbers that do not move, or write it out: `np.exp(-0.5 * (n / sigma) ** 2)`",
    ),
    Group("unit_impulse max_len_seq", "makes an array that is given once", _OUTSIDE),
)

NDIMAGE: tuple[Group, ...] = (
    Group("test", "runs tests"),
    Group(
        "binary_closing binary_dilation binary_erosion binary_fill_holes binary_hit_or_miss binary_opening binary_propagation "
        "generate_binary_structure iterate_structure",
        "gives truth values",
    ),
    Group(
        "find_objects value_indices watershed_ift maximum_position minimum_position histogram distance_transform_cdt",
        "gives numbers of objects, places or counts",
    ),
    Group(
        "distance_transform_edt distance_transform_bf",
        "gives distances that follow from which elements are zero",
        "wrap the call in `stop_gradient`: they do not move with the other elements",
    ),
    Group(
        "generic_filter generic_filter1d generic_gradient_magnitude generic_laplace geometric_transform vectorized_filter "
        "labeled_comprehension",
        "is given a function, which is not followed there",
        "apply it to `np.lib.stride_tricks.sliding_window_view(x, shape)`, or to places for `map_coordinates`",
    ),
    Group(
        "fourier_ellipsoid fourier_gaussian fourier_shift fourier_uniform",
        "multiplies a transform with one of a kernel",
        "multiply it with that of the kernel itself: `np.fft.fftn(x) * factor`",
    ),
    Group(
        "extrema median",
        "measures the parts of an image that labels mark, by their order",
        "use `np.sum(np.where(labels == k, x, 0.0))` and its like, or `np.bincount` with weights",
    ),
    Group("spline_filter", "filters along all axes", "use `spline_filter1d` along each"),
)

SPATIAL: tuple[Group, ...] = (
    Group("QhullError test convex_hull_plot_2d delaunay_plot_2d voronoi_plot_2d", "draws, raises or runs tests"),
    Group(
        "tsearch distance.num_obs_dm distance.num_obs_y distance.is_valid_dm distance.is_valid_y", "gives counts or truth values"
    ),
    Group(
        "HalfspaceIntersection SphericalVoronoi Voronoi Rectangle",
        "makes an object of places, whose parts jump with them",
        "make it outside of the function, and pass the indices that it gives: `points[hull.vertices]`",
    ),
    Group(
        "distance.dice distance.hamming distance.jaccard distance.rogerstanimoto distance.russellrao distance.sokalsneath "
        "distance.yule distance.sokalmichener distance.kulczynski1",
        "counts where two vectors differ, which jumps",
        "wrap the call in `stop_gradient`, or use a distance that moves: `distance.sqeuclidean`",
    ),
    Group("distance.directed_hausdorff", "gives a distance beside two places", "use `np.max(np.min(cdist(u, v), axis=1))`"),
)

_FORMS = "bsr"

SPARSE: tuple[Group, ...] = (
    Group("SparseEfficiencyWarning SparseWarning linalg.MatrixRankWarning test linalg.test", "is no function of numbers"),
    Group("linalg.ArpackError linalg.ArpackNoConvergence", "is raised, and holds no numbers"),
    Group(
        "isspmatrix isspmatrix_bsr isspmatrix_coo isspmatrix_csc isspmatrix_csr isspmatrix_dia isspmatrix_dok "
        "isspmatrix_lil get_index_dtype safely_cast_index_arrays save_npz linalg.use_solver linalg.spbandwidth "
        "linalg.is_sptriangular",
        "says of what kind a matrix is, or is a setting",
    ),
    Group(
        " ".join(f"{form}_array {form}_matrix" for form in _FORMS.split())
        + " sparray spmatrix block_array expand_dims find kronsum permute_dims swapaxes tril triu",
        "makes a sparse matrix in a form that is not followed",
        "use `csr_matrix((data, (rows, columns)), shape)`, `diags` or `kron`, or make it of constants outside",
    ),
    Group("rand random random_array load_npz", "reads or draws a sparse matrix", _OUTSIDE),
    Group(
        "linalg.qmr linalg.spilu linalg.SuperLU linalg.inv",
        "solves by steps, or factors, that are not followed",
        "use `scipy.sparse.linalg.spsolve(A, b)`, or `splu(A).solve(b)`",
    ),
    Group(
        "linalg.eigs linalg.lobpcg linalg.onenormest",
        "is of the entries of a sparse matrix, which are not followed",
        "use `np.linalg.eigh`, `svd` or `norm` of a dense one",
    ),
    Group(
        "linalg.expm linalg.funm_multiply_krylov linalg.matrix_power",
        "is a function of a sparse matrix, or its product with a vector by steps that are chosen",
        "use `expm_multiply(a, x)`, or `scipy.linalg.expm(a) @ x`",
    ),
    Group(
        "linalg.aslinearoperator linalg.LaplacianNd",
        "makes an object that stands for a matrix",
        "call the function that multiplies with it, or give that to `LinearOperator(shape, matvec=…)`",
    ),
)
