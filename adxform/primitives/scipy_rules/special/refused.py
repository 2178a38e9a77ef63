"""Why the other functions of `scipy.special` have no rule: a reason for each, which the error says."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any

from scipy import special

PARAMETER = "of an incomplete gamma or beta function in its parameter no closed form of the derivative is known"
CHARACTERISTIC = "of characteristic values no closed form of the derivative is known"
ZETA = "of the zeta function in its first argument no closed form of the derivative is known"
WHOLE = "it is defined for whole numbers, which do not move"
TABLE = "it makes a table of numbers from whole numbers, or from parameters in which no closed form of the derivative is known"
POLYNOMIAL = "it makes an object that is a polynomial; the function `eval_…` of the same name has a derivative"
ALL_ORDERS = "it fills a table of all orders by a recurrence; the function of one order has a derivative"
STEPS = "its slope is a sum over as many terms as its first argument says, which is not implemented"
COARSE = "SciPy gives it to few digits, and a slope beside it that is not that of its values"
HARMONICS = "of Lamé's functions no closed form of the derivative is implemented"
OPTIONS = "its result has axes by its options; `eval_legendre`, `lpmv` and `sph_harm_y` have a derivative"
NO_NUMBERS = "it is no function of numbers"

_NAMES: Mapping[str, str] = MappingProxyType(
    {
        PARAMETER: "bdtrik bdtrin btdtria btdtrib chdtriv chndtridf fdtridfd gdtrib nbdtrik nbdtrin ncfdtridfd ncfdtridfn "
        "nctdtridf pdtrik stdtridf ",
        CHARACTERISTIC: "mathieu_a mathieu_b pro_cv obl_cv",
        ZETA: "zetac",
        WHOLE: "factorial2 factorialk stirling2 bernoulli euler",
        TABLE: "ai_zeros bi_zeros bei_zeros beip_zeros ber_zeros berp_zeros kei_zeros keip_zeros ker_zeros kerp_zeros "
        "kelvin_zeros erf_zeros fresnel_zeros fresnelc_zeros fresnels_zeros jn_zeros jnjnp_zeros jnp_zeros "
        "jnyn_zeros yn_zeros ynp_zeros y0_zeros y1_zeros y1p_zeros mathieu_even_coef mathieu_odd_coef obl_cv_seq "
        "pro_cv_seq roots_chebyc roots_chebys roots_chebyt roots_chebyu roots_gegenbauer roots_genlaguerre "
        "roots_hermite roots_hermitenorm roots_jacobi roots_laguerre roots_legendre roots_sh_chebyt "
        "roots_sh_chebyu roots_sh_jacobi roots_sh_legendre c_roots cg_roots h_roots he_roots j_roots js_roots "
        "l_roots la_roots p_roots ps_roots s_roots t_roots ts_roots u_roots us_roots ",
        POLYNOMIAL: "chebyc chebys chebyt chebyu gegenbauer genlaguerre hermite hermitenorm jacobi laguerre legendre sh_chebyt "
        "sh_chebyu sh_jacobi sh_legendre ",
        ALL_ORDERS: "lmbda lqmn lqn pbdn_seq pbdv_seq pbvv_seq riccati_jn riccati_yn assoc_legendre_p_all legendre_p_all "
        "sph_harm_y_all sph_legendre_p_all lpn lpmn clpmn ",
        STEPS: "smirnov smirnovi",
        COARSE: "pro_rad2 pro_rad2_cv obl_rad2 obl_rad2_cv",
        HARMONICS: "ellip_harm ellip_harm_2 ellip_normal",
        OPTIONS: "assoc_legendre_p legendre_p sph_legendre_p sph_harm",
        NO_NUMBERS: "SpecialFunctionError SpecialFunctionWarning errstate geterr seterr test",
    }
)


def _found(reasons: Iterable[tuple[str, str]]) -> dict[Callable[..., Any], str]:
    """The reasons by function, of those that this version of SciPy has."""
    return {getattr(special, name): why for why, names in reasons for name in names.split() if hasattr(special, name)}


REFUSED: Mapping[Callable[..., Any], str] = MappingProxyType(_found(_NAMES.items()))
"""The functions without a rule, and why."""
