import numpy as np

EXAMPLE = (np.array([90.0, 100.0, 120.0]), np.array([100.0, 95.0, 110.0]), np.array([0.5, 1.0, 2.0]), 0.03, 0.2)


def normal(x):
    k = 1.0 / (1.0 + 0.2316419 * np.abs(x))
    tail = 0.3989423 * np.exp(-0.5 * x * x) * k * (0.3193815 + k * (-0.3565638 + k * 1.781478))
    return np.where(x > 0.0, 1.0 - tail, tail)


def black_scholes(spot, strike, expiry, rate, volatility):
    spread = volatility * np.sqrt(expiry)
    above = (np.log(spot / strike) + rate * expiry) / spread + 0.5 * spread
    discounted = strike * np.exp(-rate * expiry)
    return np.sum(spot * normal(above) - discounted * normal(above - spread))

# --- vjp
import numpy as np
from adxform import runtime


def black_scholes_vjp(spot, strike, expiry, rate, volatility, result_ct):
    tmp = -rate  # black_scholes.py:15
    tmp_ct = -result_ct  # black_scholes.py:16
    n = spot.shape[0]  # black_scholes.py:14
    spot_ct = np.empty(n)
    strike_ct = np.empty(n)
    expiry_ct = np.empty(n)  # black_scholes.py:13
    result = 0.0
    tmp_ct_1 = 0.0
    tmp_1 = 0.0
    volatility_ct = 0.0
    for i in range(n):
        tmp_2 = np.sqrt(expiry[i])
        spread = volatility * tmp_2
        tmp_3 = spot[i] / strike[i]  # black_scholes.py:14
        tmp_4 = (np.log(tmp_3) + rate * expiry[i]) / spread
        above = tmp_4 + 0.5 * spread
        tmp_5 = np.exp(tmp * expiry[i])  # black_scholes.py:15
        discounted = strike[i] * tmp_5
        tmp_6 = 1.0 + 0.2316419 * abs(above)  # black_scholes.py:7
        k = 1.0 / tmp_6
        tmp_7 = -0.5 * above  # black_scholes.py:8
        tmp_8 = np.exp(tmp_7 * above)
        tmp_9 = 0.3989423 * tmp_8
        tmp_10 = tmp_9 * k
        tmp_11 = -0.3565638 + k * 1.781478
        tmp_12 = 0.3193815 + k * tmp_11
        tail = tmp_10 * tmp_12
        tmp_13 = above > 0.0  # black_scholes.py:9
        tmp_14 = 1.0 - tail
        result_1 = tmp_14 if tmp_13 else tail
        x = above - spread  # black_scholes.py:16
        tmp_14 = 1.0 + 0.2316419 * abs(x)  # black_scholes.py:7
        k_1 = 1.0 / tmp_14
        tmp_15 = -0.5 * x  # black_scholes.py:8
        tmp_16 = np.exp(tmp_15 * x)
        tmp_17 = 0.3989423 * tmp_16
        tmp_18 = tmp_17 * k_1
        tmp_19 = -0.3565638 + k_1 * 1.781478
        tmp_20 = 0.3193815 + k_1 * tmp_19
        tail = tmp_18 * tmp_20
        tmp_21 = x > 0.0  # black_scholes.py:9
        tmp_22 = 1.0 - tail
        result_2 = tmp_22 if tmp_21 else tail
        result = runtime.add_up(result, spot[i] * result_1 - discounted * result_2)  # black_scholes.py:16
        discounted_ct = tmp_ct * result_2
        result_ct_1 = tmp_ct * discounted
        tail_ct = (0.0 if tmp_21 else result_ct_1) - (result_ct_1 if tmp_21 else 0.0)  # black_scholes.py:9
        tmp_ct_2 = runtime.masked_product(tail_ct, tmp_20)  # black_scholes.py:8
        tmp_ct_3 = runtime.masked_product(tail_ct, tmp_18)
        tmp_22 = runtime.masked_product(tmp_ct_3, k_1) * 1.781478
        k_ct = runtime.masked_product(tmp_ct_3, tmp_19) + tmp_22
        k_ct += runtime.masked_product(tmp_ct_2, tmp_17)
        tmp_ct_2 = runtime.masked_product(runtime.masked_product(tmp_ct_2, k_1) * 0.3989423, tmp_16)
        x_ct = runtime.masked_product(tmp_ct_2, tmp_15) + runtime.masked_product(tmp_ct_2, x) * -0.5
        tmp_ct_2 = runtime.masked_product(k_ct, -k_1 / tmp_14) * 0.2316419  # black_scholes.py:7
        x_ct += runtime.masked_product(tmp_ct_2, np.sign(x))
        result_ct_1 = result_ct * spot[i]  # black_scholes.py:16
        tail_ct = (0.0 if tmp_13 else result_ct_1) - (result_ct_1 if tmp_13 else 0.0)  # black_scholes.py:9
        tmp_ct_2 = runtime.masked_product(tail_ct, tmp_12)  # black_scholes.py:8
        tmp_ct_3 = runtime.masked_product(tail_ct, tmp_10)
        tmp_10 = runtime.masked_product(tmp_ct_3, k) * 1.781478
        k_ct = runtime.masked_product(tmp_ct_3, tmp_11) + tmp_10
        k_ct += runtime.masked_product(tmp_ct_2, tmp_9)
        tmp_ct_2 = runtime.masked_product(runtime.masked_product(tmp_ct_2, k) * 0.3989423, tmp_8)
        tmp_8 = runtime.masked_product(tmp_ct_2, above) * -0.5
        above_ct = x_ct + runtime.masked_product(tmp_ct_2, tmp_7) + tmp_8
        tmp_ct_2 = runtime.masked_product(k_ct, -k / tmp_6) * 0.2316419  # black_scholes.py:7
        above_ct += runtime.masked_product(tmp_ct_2, np.sign(above))
        tmp_ct_2 = runtime.masked_product(runtime.masked_product(discounted_ct, strike[i]), tmp_5)  # black_scholes.py:15
        tmp_ct_1 = runtime.add_up(tmp_ct_1, runtime.masked_product(tmp_ct_2, expiry[i]))
        tmp_ct_3 = runtime.masked_product(above_ct, 1.0 / spread)  # black_scholes.py:14
        spread_ct = above_ct * 0.5 - x_ct + runtime.masked_product(above_ct, -tmp_4 / spread)
        tmp_1 = runtime.add_up(tmp_1, runtime.masked_product(tmp_ct_3, expiry[i]))
        expiry_ct_1 = runtime.masked_product(tmp_ct_2, tmp) + runtime.masked_product(tmp_ct_3, rate)
        tmp_ct_2 = runtime.masked_product(tmp_ct_3, 1.0 / tmp_3)
        spot_ct_1 = result_ct * result_1 + runtime.masked_product(tmp_ct_2, 1.0 / strike[i])
        spot_ct[i] = spot_ct_1
        tmp_3 = runtime.masked_product(tmp_ct_2, -tmp_3 / strike[i])
        strike_ct_1 = runtime.masked_product(discounted_ct, tmp_5) + tmp_3
        strike_ct[i] = strike_ct_1
        volatility_ct = runtime.add_up(volatility_ct, runtime.masked_product(spread_ct, tmp_2))  # black_scholes.py:13
        tmp_ct_2 = runtime.masked_product(spread_ct, volatility)
        expiry_ct_1 += runtime.masked_product(tmp_ct_2, runtime.quotient(0.5, tmp_2))
        expiry_ct[i] = expiry_ct_1
    return result, spot_ct, strike_ct, expiry_ct, tmp_1 - tmp_ct_1, volatility_ct
