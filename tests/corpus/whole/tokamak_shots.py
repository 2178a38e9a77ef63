"""Confinement scaling of a tokamak shot: AttrDict config, registry of scalings, history as list of dicts."""

from tests.corpus.case import at


class AttrDict(dict):
    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name)

    def __setattr__(self, name, value):
        self[name] = value


SCALINGS = {}


def scaling(name):
    def register(fn):
        SCALINGS[name] = fn
        return fn

    return register


@scaling("ipb98")
def ipb98(m):
    return 0.0562 * m.current**0.93 * m.field**0.15 * m.density**0.41 * m.power**-0.69 * m.radius**1.97 * m.kappa**0.78


@scaling("goldston")
def goldston(m):
    return 0.037 * m.current * m.power**-0.5 * m.radius**1.75 * m.minor**-0.37 * m.kappa**0.5


def make_machine(current, field, **extra):
    cfg = AttrDict(current=current, field=field, radius=1.65, minor=0.5, kappa=1.6, density=5.0, power=8.0)
    cfg.update(extra)
    cfg.aspect = cfg.radius / cfg.minor
    return cfg


def simulate(machine, law="ipb98", dt=0.05, steps=12):
    energy = 0.2
    history = []
    for k in range(steps):
        ramp = min(1.0, (k + 1) * dt / 0.2)
        shot = AttrDict(machine)
        shot.power = machine.power * ramp
        tau = SCALINGS[law](shot)
        loss = energy / tau
        energy += dt * (shot.power * 0.1 - loss)
        if energy < 0.0:
            raise ValueError("negative stored energy")
        history.append({"t": k * dt, "energy": energy, "tau": tau, "loss": loss})
    return history


@at((0.9, 2.3, 4.4))
def confinement_of_a_tokamak(current, field, density):
    machine = make_machine(current, field, density=density)
    best = None
    for law in sorted(SCALINGS):
        rows = simulate(machine, law)
        peak = max(r["energy"] for r in rows)
        mean_tau = sum(r["tau"] for r in rows) / len(rows)
        if best is None or peak > best["peak"]:
            best = {"law": law, "peak": peak, "tau": mean_tau}
    q95 = 5 * machine.minor**2 * machine.field / (machine.radius * machine.current)
    return best["peak"] + 0.1 * best["tau"] + 0.01 * q95 * machine.aspect
