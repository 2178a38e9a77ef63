"""Agents and reactions: whole programs as people write them."""

import enum
import heapq
from dataclasses import dataclass

import numpy as np

from tests.corpus.case import at, smooth, vec


@dataclass(frozen=True)
class HestonParams:
    kappa: float
    theta: float
    xi: float
    rho: float
    v0: float


@at((HestonParams(1.5, 0.6, 0.2, -0.6, 0.8), 100.0, 110.0))
def heston_asian(params, s0, strike):
    rng = np.random.RandomState(3)
    n_steps, n_paths, T = 4, 5, 1.0
    dt = T / n_steps
    z1 = rng.standard_normal((n_steps, n_paths))
    z2 = params.rho * z1 + np.sqrt(1 - params.rho**2) * rng.standard_normal((n_steps, n_paths))
    logS = np.full(n_paths, np.log(s0))
    v = np.full(n_paths, params.v0)
    running = np.zeros(n_paths)
    for k in range(n_steps):
        vp = np.maximum(v, 0)
        logS += -0.5 * vp * dt + np.sqrt(vp * dt) * z1[k]
        v += params.kappa * (params.theta - vp) * dt + params.xi * np.sqrt(vp * dt) * z2[k]
        running += np.exp(logS)
    payoff = np.maximum(running / n_steps - strike, 0) + 0.01 * running
    return payoff.mean()


@at(
    (36.0, 0.2, 0.06),
)
def longstaff_schwartz(s0, sigma, r):
    K, T, N, paths = 40.0, 1.0, 3, 8
    dt = T / N
    z = np.random.default_rng(11).standard_normal((paths, N))
    S = np.empty((paths, N + 1))
    S[:, 0] = s0
    for t in range(1, N + 1):
        S[:, t] = S[:, t - 1] * np.exp((r - sigma**2 / 2) * dt + sigma * np.sqrt(dt) * z[:, t - 1])
    cash = np.maximum(K - S[:, -1], 0)
    for t in range(N - 1, 0, -1):
        cash *= np.exp(-r * dt)
        itm = K > S[:, t]
        if itm.sum() < 3:
            continue
        X = np.column_stack([np.ones(itm.sum()), S[itm, t], S[itm, t] ** 2])
        beta = np.linalg.lstsq(X, cash[itm], rcond=None)[0]
        continuation = X @ beta
        exercise = K - S[itm, t]
        cash[itm] = np.where(exercise > continuation, exercise, cash[itm])
    return np.exp(-r * dt) * cash.mean()


@at((smooth(6, 3, low=-0.05, high=0.06), vec(0.5, 0.3, 0.2)))
def portfolio_report(returns, weights):
    w = weights / np.sum(weights)
    equity = [1.0]
    for r in returns:
        equity.append(equity[-1] * (1 + r @ w))
    peak = equity[0]
    worst = 0.0
    for value in equity:
        peak = max(peak, value)
        worst = max(worst, (peak - value) / peak)
    daily = np.diff(equity) / np.array(equity[:-1])
    report = {
        "cagr": equity[-1] ** (252 / len(daily)) - 1,
        "sharpe": daily.mean() / daily.std(ddof=1),
        "max_drawdown": worst,
        "name": "60/40",
    }
    score = report["sharpe"] - 3 * report["max_drawdown"]
    if report["name"].startswith("60"):
        score += 0.01 * report["cagr"]
    return score


class Role(enum.Enum):
    FUNDAMENTALIST = "f"
    CHARTIST = "c"


@dataclass
class Trader:
    role: Role
    cash: float
    shares: float
    aggressiveness: float

    def demand(self, price, trend, value):
        if self.role is Role.FUNDAMENTALIST:
            return self.aggressiveness * (value - price)
        return self.aggressiveness * trend

    def trade(self, quantity, price):
        self.shares += quantity
        self.cash -= quantity * price


@at((vec(0.3, 0.5, 0.2, 0.4), 10.0, 9.0))
def trader_market(aggressiveness, value, price):
    roles = [Role.FUNDAMENTALIST, Role.CHARTIST, Role.CHARTIST, Role.FUNDAMENTALIST]
    traders = [Trader(role, 100.0, 10.0, a) for role, a in zip(roles, aggressiveness)]
    trend = 0.0
    for _ in range(5):
        demands = [t.demand(price, trend, value) for t in traders]
        excess = sum(demands)
        new_price = price + 0.2 * excess
        for t, d in zip(traders, demands):
            t.trade(0.1 * d, new_price)
        trend, price = new_price - price, new_price
    wealth = {role: 0.0 for role in Role}
    for t in traders:
        wealth[t.role] += t.cash + t.shares * price
    return (wealth[Role.CHARTIST] - wealth[Role.FUNDAMENTALIST]) ** 2 + price


REACTIONS = """
A -> B
B + C -> D
D -> A + C
"""


def parse(text):
    out = []
    for line in text.strip().splitlines():
        left, right = line.split("->")
        out.append(([s.strip() for s in left.split("+")], [s.strip() for s in right.split("+")]))
    return out


@at((vec(0.5, 1.2, 0.3), {"A": 1.0, "B": 0.2, "C": 0.7, "D": 0.0}))
def reaction_network(k, conc0):
    network = parse(REACTIONS)
    conc = dict(conc0)
    dt = 0.1
    for _ in range(6):
        rate = {s: 0.0 for s in conc}
        for kj, (reactants, products) in zip(k, network):
            v = kj
            for s in reactants:
                v = v * conc[s]
            for s in reactants:
                rate[s] -= v
            for s in products:
                rate[s] += v
        for s in conc:
            conc[s] += dt * rate[s]
    total = sum(conc.values())
    return conc["D"] / total + conc["A"] ** 2


@at(
    (vec(0.04, 30.0, 1e1), vec(1.0, 0.0, 0.0)),
)
def robertson_rosenbrock(k, y0):
    def f(y):
        r1, r2, r3 = k[0] * y[0], k[2] * y[1] * y[2], k[1] * y[1] ** 2
        return np.array([-r1 + r2, r1 - r2 - r3, r3])

    def jac(y):
        J = np.zeros((3, 3))
        J[0] = [-k[0], k[2] * y[2], k[2] * y[1]]
        J[2, 1] = 2 * k[1] * y[1]
        J[1] = -J[0] - J[2]
        return J

    y, h = y0, 0.1
    gamma = 1 + 1 / np.sqrt(2)
    for _ in range(4):
        W = np.eye(3) - gamma * h * jac(y)
        k1 = np.linalg.solve(W, f(y))
        k2 = np.linalg.solve(W, f(y + h * k1) - 2 * k1)
        y = y + 1.5 * h * k1 + 0.5 * h * k2
    return 10 * y[1] + y[2]


@at((0.1, 0.05, 4.76))
def buffer_ph(acid, salt, pKa):
    Ka, Kw = 10.0**-pKa, 1e-14

    def charge(pH):
        h = 10.0**-pH
        total = acid + salt
        return h + salt - total * Ka / (Ka + h) - Kw / h

    lo, hi = 0.0, 14.0
    while hi - lo > 1e-3:
        mid = (lo + hi) / 2
        if charge(mid) > 0:
            lo = mid
        else:
            hi = mid
    pH = (lo + hi) / 2
    for _ in range(6):
        eps = 1e-5
        slope = (charge(pH + eps) - charge(pH - eps)) / (2 * eps)
        pH -= charge(pH) / slope
    return pH


class Server:
    def __init__(self, name, rate, successor=None):
        self.name, self.rate, self.successor = name, rate, successor
        self.busy_until, self.busy_time, self.served = 0.0, 0.0, 0

    def begin(self, now, work):
        self.busy_until = max(now, self.busy_until) + work / self.rate
        self.busy_time += work / self.rate
        return self.busy_until


@at((vec(1.3, 0.9), vec(0.4, 0.53, 0.71), 0.2))
def queues_of_a_network(rates, gaps, work):
    servers = {"desk": Server("desk", rates[0], "lab"), "lab": Server("lab", rates[1])}
    rng = np.random.default_rng(4)
    events, now = [], 0.0
    for count, gap in enumerate(gaps):
        now += gap
        heapq.heappush(events, (now, count, "arrive", "desk"))
    count, stay = len(gaps), 0.0
    while events:
        now, _, kind, where = heapq.heappop(events)
        server = servers[where]
        if kind == "arrive":
            done = server.begin(now, work - 0.1 * np.log(1.0 - rng.random()))
            stay += done - now
            heapq.heappush(events, (done, count, "leave", where))
            count += 1
        else:
            server.served += 1
            if server.successor is not None:
                heapq.heappush(events, (now, count, "arrive", server.successor))
                count += 1
    return stay + servers["lab"].busy_until * servers["desk"].busy_time + servers["lab"].served


class Agent:
    def __init__(self, wealth):
        self.wealth = wealth
        self.trades = 0

    def pay(self, other, share):
        paid = share * self.wealth
        self.wealth -= paid
        other.wealth += paid
        self.trades += 1


@at((vec(1.0, 2.3, 0.7, 1.6), 0.3))
def the_richest_pays_the_poorest(wealth, share):
    agents = [Agent(w) for w in wealth]
    for k in range(5):
        now = [agent.wealth for agent in agents]
        rich, poor = agents[int(np.argmax(now))], agents[int(np.argmin(now))]
        rich.pay(poor, share / (k + 1))
        leader = agents[0] if agents[0].wealth > agents[1].wealth else agents[1]
        leader.wealth *= 1.05
    return sum(agent.wealth**2 * (1 + agent.trades) * (n + 1) for n, agent in enumerate(agents))
