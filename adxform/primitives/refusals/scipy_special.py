"""Functions of `scipy.special` without a rule: why, and what to do instead."""

from __future__ import annotations

from adxform.primitives.refusals.no_rule import Group

_STATE = "state one with `adxform.rule`, or wrap the call in `stop_gradient`, if its derivative is to be zero"

GROUPS: tuple[Group, ...] = (
    Group(
        "bdtrik bdtrin btdtria btdtrib chdtriv chndtridf fdtridfd gdtrib nbdtrik nbdtrin ncfdtridfd ncfdtridfn nctdtridf pdtrik "
        "stdtridf",
        "inverts a distribution function in its parameter, of which derivative no closed form is known",
        _STATE,
    ),
    Group("mathieu_a mathieu_b pro_cv obl_cv", "is a characteristic value, of whose derivative no closed form is known", _STATE),
    Group("zetac", "is the zeta function in its first argument, of which derivative no closed form is known", _STATE),
    Group(
        "factorial2 factorialk stirling2 bernoulli euler",
        "is defined for whole numbers, which do not move",
        "use `gamma` for what lies between",
    ),
    Group(
        "ai_zeros bi_zeros bei_zeros beip_zeros ber_zeros berp_zeros kei_zeros keip_zeros ker_zeros kerp_zeros kelvin_zeros "
        "erf_zeros fresnel_zeros fresnelc_zeros fresnels_zeros jn_zeros jnjnp_zeros jnp_zeros jnyn_zeros yn_zeros ynp_zeros "
        "y0_zeros y1_zeros y1p_zeros mathieu_even_coef mathieu_odd_coef obl_cv_seq pro_cv_seq roots_chebyc roots_chebys "
        "roots_chebyt roots_chebyu roots_gegenbauer roots_genlaguerre roots_hermite roots_hermitenorm roots_jacobi "
        "roots_laguerre roots_legendre roots_sh_chebyt roots_sh_chebyu roots_sh_jacobi roots_sh_legendre c_roots cg_roots "
        "h_roots he_roots j_roots js_roots l_roots la_roots p_roots ps_roots s_roots t_roots ts_roots u_roots us_roots",
        "makes a table of numbers from whole numbers, or from parameters of which derivative no closed form is known",
        "make the table outside of the function, and pass it",
    ),
    Group(
        "chebyc chebys chebyt chebyu gegenbauer genlaguerre hermite hermitenorm jacobi laguerre legendre sh_chebyt sh_chebyu "
        "sh_jacobi sh_legendre",
        "makes an object that is a polynomial",
        "use the function `eval_…` of the same name, which has a derivative",
    ),
    Group(
        "lmbda lqmn lqn pbdn_seq pbdv_seq pbvv_seq riccati_jn riccati_yn assoc_legendre_p_all legendre_p_all sph_harm_y_all "
        "sph_legendre_p_all lpn lpmn clpmn",
        "fills a table of all orders by a recurrence",
        "use the function of one order, which has a derivative",
    ),
    Group(
        "smirnov smirnovi",
        "has a slope that is a sum over as many terms as its first argument says, which is not implemented",
        _STATE,
    ),
    Group(
        "pro_rad2 pro_rad2_cv obl_rad2 obl_rad2_cv",
        "SciPy gives to few digits, and a slope beside it that is not that of its values",
        _STATE,
    ),
    Group(
        "ellip_harm ellip_harm_2 ellip_normal",
        "is of Lamé's functions, of whose derivatives no closed form is implemented",
        _STATE,
    ),
    Group(
        "assoc_legendre_p legendre_p sph_legendre_p sph_harm",
        "has axes in its result by its options",
        "use `eval_legendre`, `lpmv` or `sph_harm_y`, which have a derivative",
    ),
    Group("SpecialFunctionError SpecialFunctionWarning errstate geterr seterr test", "is no function of numbers"),
)
