"""Optics and markets: whole programs as people write them."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tests.corpus.case import at, smooth, vec


@dataclass
class Surface:
    curvature: float
    thickness: float
    index: float


class Ray(NamedTuple):
    y: float
    u: float


class LensSystem:
    def __init__(self, surfaces):
        self.surfaces = surfaces

    def trace(self, ray):
        n = 1.0
        for s in self.surfaces:
            y, u = ray
            # Snell at a spherical surface, exact meridional
            sag = s.curvature * y * y / (1 + math.sqrt(1 - (s.curvature * y) ** 2))
            slope = math.asin(s.curvature * y)
            incidence = u + slope
            refraction = math.asin(n / s.index * math.sin(incidence))
            u2 = refraction - slope
            ray = Ray(y + (s.thickness - sag) * math.tan(u2), u2)
            n = s.index
        return ray


@at((vec(0.02, -0.015, 0.005), vec(5.0, 2.0, 80.0), 1.5))
def lens_spot_size(curvatures, thicknesses, glass):
    indices = [glass, 1.0, 1.0]
    system = LensSystem([Surface(c, t, n) for c, t, n in zip(curvatures, thicknesses, indices)])
    heights = []
    for y in (1.0, 3.0, 5.0):
        ray = system.trace(Ray(y, 0.0))
        heights.append(ray.y)
    mean = sum(heights) / len(heights)
    return sum((h - mean) ** 2 for h in heights)


@at((vec(100.0, 70.0, 120.0), vec(1.38, 2.1, 1.46)))
def thin_film_reflectance(d, n):
    total = 0.0
    for wavelength in np.linspace(450.0, 650.0, 3):
        M = np.eye(2, dtype=complex)
        for dj, nj in zip(d, n):
            delta = 2 * np.pi * nj * dj / wavelength
            M = M @ np.array([[np.cos(delta), 1j * np.sin(delta) / nj], [1j * nj * np.sin(delta), np.cos(delta)]])
        B, C = M @ np.array([1.0, 1.52])
        r = (B - C) / (B + C)
        total += abs(r) ** 2
    return total / 3


@at((0.7, 0.2, 0.75, 0.35))
def vincenty(lat1, lon1, lat2, lon2):
    a, f = 6378.137, 1 / 298.257223563
    b = (1 - f) * a
    U1, U2 = math.atan((1 - f) * math.tan(lat1)), math.atan((1 - f) * math.tan(lat2))
    L = lon2 - lon1
    lam = L
    sinU1, cosU1, sinU2, cosU2 = math.sin(U1), math.cos(U1), math.sin(U2), math.cos(U2)
    for _ in range(100):
        sin_lam, cos_lam = math.sin(lam), math.cos(lam)
        sin_sigma = math.sqrt((cosU2 * sin_lam) ** 2 + (cosU1 * sinU2 - sinU1 * cosU2 * cos_lam) ** 2)
        if sin_sigma == 0:
            return 0.0
        cos_sigma = sinU1 * sinU2 + cosU1 * cosU2 * cos_lam
        sigma = math.atan2(sin_sigma, cos_sigma)
        sin_alpha = cosU1 * cosU2 * sin_lam / sin_sigma
        cos2_alpha = 1 - sin_alpha**2
        cos_2sm = cos_sigma - 2 * sinU1 * sinU2 / cos2_alpha if cos2_alpha != 0 else 0
        C = f / 16 * cos2_alpha * (4 + f * (4 - 3 * cos2_alpha))
        lam_prev = lam
        lam = L + (1 - C) * f * sin_alpha * (sigma + C * sin_sigma * (cos_2sm + C * cos_sigma * (-1 + 2 * cos_2sm**2)))
        if abs(lam - lam_prev) < 1e-15:
            break
    u_sq = cos2_alpha * (a**2 - b**2) / b**2
    A = 1 + u_sq / 16384 * (4096 + u_sq * (-768 + u_sq * (320 - 175 * u_sq)))
    B = u_sq / 1024 * (256 + u_sq * (-128 + u_sq * (74 - 47 * u_sq)))
    delta = B * sin_sigma * (cos_2sm + B / 4 * (cos_sigma * (-1 + 2 * cos_2sm**2)))
    return b * A * (sigma - delta) / 1000


WGS84 = {"a": 6.378137, "e2": 6.69437999014e-3}


def to_ecef(lat, lon, h, ell=WGS84):
    N = ell["a"] / np.sqrt(1 - ell["e2"] * np.sin(lat) ** 2)
    return np.array(
        [(N + h) * np.cos(lat) * np.cos(lon), (N + h) * np.cos(lat) * np.sin(lon), (N * (1 - ell["e2"]) + h) * np.sin(lat)]
    )


def to_geodetic(xyz, ell=WGS84):
    x, y, z = xyz
    lon = np.arctan2(y, x)
    p = np.hypot(x, y)
    lat = np.arctan2(z, p * (1 - ell["e2"]))
    while True:
        N = ell["a"] / np.sqrt(1 - ell["e2"] * np.sin(lat) ** 2)
        h = p / np.cos(lat) - N
        new = np.arctan2(z, p * (1 - ell["e2"] * N / (N + h)))
        done = abs(new - lat) < 1e-14
        lat = new
        if done:
            return lat, lon, h


@at((0.8, 0.3, 0.1, vec(0.3, -0.2, 0.1)))
def displaced_geodetic(lat, lon, h, offset):
    moved = to_ecef(lat, lon, h) + offset
    lat2, lon2, h2 = to_geodetic(moved)
    return lat2 * 2 + lon2 + h2**2


@at((smooth(4, 4), 0.8, 0.4))
def bilateral(image, sigma_s, sigma_r):
    h, w = image.shape
    out = np.zeros_like(image)
    radius = 1
    for y in range(h):
        for x in range(w):
            total, norm = 0.0, 0.0
            for dy in range(-radius, radius + 1):
                for dx in range(-radius, radius + 1):
                    yy = min(max(y + dy, 0), h - 1)
                    xx = min(max(x + dx, 0), w - 1)
                    diff = image[yy, xx] - image[y, x]
                    wgt = np.exp(-(dx * dx + dy * dy) / (2 * sigma_s**2) - diff**2 / (2 * sigma_r**2))
                    total += wgt * image[yy, xx]
                    norm += wgt
            out[y, x] = total / norm
    return np.sum((out - image) ** 2)


def integral(img):
    ii = np.zeros((img.shape[0] + 1, img.shape[1] + 1))
    ii[1:, 1:] = img.cumsum(0).cumsum(1)
    return ii


def box(ii, r0, c0, r1, c1):
    return ii[r1, c1] - ii[r0, c1] - ii[r1, c0] + ii[r0, c0]


@at((smooth(5, 5, seed=3) ** 2 + 0.1 * smooth(5, 5, seed=8),))
def edge_strength(img):
    kx = np.array([[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]])
    pad = np.pad(img, 1, mode="edge")
    gx = np.zeros_like(img)
    gy = np.zeros_like(img)
    for (i, j), k in np.ndenumerate(kx):
        gx += k * pad[i : i + img.shape[0], j : j + img.shape[1]]
        gy += kx[j, i] * pad[i : i + img.shape[0], j : j + img.shape[1]]
    mag = np.hypot(gx, gy)
    keep = np.zeros(mag.shape, dtype=bool)
    for i in range(1, 4):
        for j in range(1, 4):
            if abs(gx[i, j]) > abs(gy[i, j]):
                a, b = mag[i, j - 1], mag[i, j + 1]
            else:
                a, b = mag[i - 1, j], mag[i + 1, j]
            keep[i, j] = mag[i, j] >= a and mag[i, j] >= b
    ii = integral(img)
    local = box(ii, 1, 1, 4, 4) / 9
    return mag[keep].sum() + local**2


def sd_sphere(p, center, radius):
    return np.linalg.norm(p - center) - radius


def sd_box(p, half):
    q = np.abs(p) - half
    return np.linalg.norm(np.maximum(q, 0)) + min(max(q[0], q[1], q[2]), 0.0)


def smooth_union(a, b, k):
    h = np.clip(0.5 + 0.5 * (b - a) / k, 0, 1)
    return b * (1 - h) + a * h - k * h * (1 - h)


@at((vec(0.2, 0.1, 3.0), 0.8, 0.4))
def ray_march(center, radius, blend):
    def scene(p):
        return smooth_union(sd_sphere(p, center, radius), sd_box(p - np.array([0.5, 0.0, 3.2]), np.array([0.5, 0.5, 0.5])), blend)

    shade = 0.0
    for px in (-0.1, 0.05):
        direction = np.array([px, 0.02, 1.0])
        direction /= np.linalg.norm(direction)
        t = 0.0
        hit = False
        for _ in range(80):
            d = scene(t * direction)
            if d < 1e-12:
                hit = True
                break
            t += d
            if t > 20:
                break
        if hit:
            shade += t
    return shade
