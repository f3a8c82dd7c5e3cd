"""The 30 PolyBench kernels as plain loops over NumPy arrays, in the operation order of the C code.

They are written from PolyBench/C 4.2.1, not from the MLIR files, to catch slips in those. Scalars
taken out of an array are NumPy numbers, so that single precision stays single precision.
"""

# Arrays are named as in PolyBench.
# ruff: noqa: N803

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


def gemm(
    ni: int, nj: int, nk: int, alpha: float, beta: float, C: Array, A: Array, B: Array
) -> None:
    for i in range(ni):
        for j in range(nj):
            C[i, j] *= beta
        for k in range(nk):
            for j in range(nj):
                C[i, j] += alpha * A[i, k] * B[k, j]


def k2mm(
    ni: int,
    nj: int,
    nk: int,
    nl: int,
    alpha: float,
    beta: float,
    tmp: Array,
    A: Array,
    B: Array,
    C: Array,
    D: Array,
) -> None:
    for i in range(ni):
        for j in range(nj):
            tmp[i, j] = 0.0
            for k in range(nk):
                tmp[i, j] += alpha * A[i, k] * B[k, j]
    for i in range(ni):
        for j in range(nl):
            D[i, j] *= beta
            for k in range(nj):
                D[i, j] += tmp[i, k] * C[k, j]


def k3mm(
    ni: int,
    nj: int,
    nk: int,
    nl: int,
    nm: int,
    E: Array,
    A: Array,
    B: Array,
    F: Array,
    C: Array,
    D: Array,
    G: Array,
) -> None:
    def multiply(rows: int, columns: int, depth: int, X: Array, Y: Array, Z: Array) -> None:
        for i in range(rows):
            for j in range(columns):
                X[i, j] = 0.0
                for k in range(depth):
                    X[i, j] += Y[i, k] * Z[k, j]

    multiply(ni, nj, nk, E, A, B)
    multiply(nj, nl, nm, F, C, D)
    multiply(ni, nl, nj, G, E, F)


def adi(tsteps: int, n: int, u: Array, v: Array, p: Array, q: Array) -> None:
    dx = 1.0 / n
    dy = 1.0 / n
    dt = 1.0 / tsteps
    b1 = 2.0
    b2 = 1.0
    mul1 = b1 * dt / (dx * dx)
    mul2 = b2 * dt / (dy * dy)
    a = -mul1 / 2.0
    b = 1.0 + mul1
    c = a
    d = -mul2 / 2.0
    e = 1.0 + mul2
    f = d
    for _ in range(1, tsteps + 1):
        for i in range(1, n - 1):
            v[0, i] = 1.0
            p[i, 0] = 0.0
            q[i, 0] = v[0, i]
            for j in range(1, n - 1):
                p[i, j] = -c / (a * p[i, j - 1] + b)
                q[i, j] = (
                    -d * u[j, i - 1] + (1.0 + 2.0 * d) * u[j, i] - f * u[j, i + 1] - a * q[i, j - 1]
                ) / (a * p[i, j - 1] + b)
            v[n - 1, i] = 1.0
            for j in range(n - 2, 0, -1):
                v[j, i] = p[i, j] * v[j + 1, i] + q[i, j]
        for i in range(1, n - 1):
            u[i, 0] = 1.0
            p[i, 0] = 0.0
            q[i, 0] = u[i, 0]
            for j in range(1, n - 1):
                p[i, j] = -f / (d * p[i, j - 1] + e)
                q[i, j] = (
                    -a * v[i - 1, j] + (1.0 + 2.0 * a) * v[i, j] - c * v[i + 1, j] - d * q[i, j - 1]
                ) / (d * p[i, j - 1] + e)
            u[i, n - 1] = 1.0
            for j in range(n - 2, 0, -1):
                u[i, j] = p[i, j] * u[i, j + 1] + q[i, j]


def atax(m: int, n: int, A: Array, x: Array, y: Array, tmp: Array) -> None:
    for i in range(n):
        y[i] = 0.0
    for i in range(m):
        tmp[i] = 0.0
        for j in range(n):
            tmp[i] = tmp[i] + A[i, j] * x[j]
        for j in range(n):
            y[j] = y[j] + A[i, j] * tmp[i]


def bicg(m: int, n: int, A: Array, s: Array, q: Array, p: Array, r: Array) -> None:
    for i in range(m):
        s[i] = 0.0
    for i in range(n):
        q[i] = 0.0
        for j in range(m):
            s[j] = s[j] + r[i] * A[i, j]
            q[i] = q[i] + A[i, j] * p[j]


def cholesky(n: int, A: Array) -> None:
    for i in range(n):
        for j in range(i):
            for k in range(j):
                A[i, j] -= A[i, k] * A[j, k]
            A[i, j] /= A[j, j]
        for k in range(i):
            A[i, i] -= A[i, k] * A[i, k]
        A[i, i] = math.sqrt(A[i, i])


def correlation(
    m: int, n: int, float_n: float, data: Array, corr: Array, mean: Array, stddev: Array
) -> None:
    eps = 0.1
    for j in range(m):
        mean[j] = 0.0
        for i in range(n):
            mean[j] += data[i, j]
        mean[j] /= float_n
    for j in range(m):
        stddev[j] = 0.0
        for i in range(n):
            stddev[j] += (data[i, j] - mean[j]) * (data[i, j] - mean[j])
        stddev[j] /= float_n
        stddev[j] = math.sqrt(stddev[j])
        stddev[j] = 1.0 if stddev[j] <= eps else stddev[j]
    for i in range(n):
        for j in range(m):
            data[i, j] -= mean[j]
            data[i, j] /= math.sqrt(float_n) * stddev[j]
    for i in range(m - 1):
        corr[i, i] = 1.0
        for j in range(i + 1, m):
            corr[i, j] = 0.0
            for k in range(n):
                corr[i, j] += data[k, i] * data[k, j]
            corr[j, i] = corr[i, j]
    corr[m - 1, m - 1] = 1.0


def covariance(m: int, n: int, float_n: float, data: Array, cov: Array, mean: Array) -> None:
    for j in range(m):
        mean[j] = 0.0
        for i in range(n):
            mean[j] += data[i, j]
        mean[j] /= float_n
    for i in range(n):
        for j in range(m):
            data[i, j] -= mean[j]
    for i in range(m):
        for j in range(i, m):
            cov[i, j] = 0.0
            for k in range(n):
                cov[i, j] += data[k, i] * data[k, j]
            cov[i, j] /= float_n - 1.0
            cov[j, i] = cov[i, j]


def deriche(
    w: int, h: int, alpha: float, imgIn: Array, imgOut: Array, y1: Array, y2: Array
) -> None:
    single = np.float32
    a = single(alpha)
    zero, one, two = single(0.0), single(1.0), single(2.0)
    # The nearest single-precision numbers, which glibc's expf and powf give; NumPy's do not always.
    decay = single(math.exp(-a))
    square_decay = single(math.exp(-two * a))
    growth = single(math.exp(two * a))
    k = (one - decay) * (one - decay) / (one + two * a * decay - growth)
    a1 = a5 = k
    a2 = a6 = k * decay * (a - one)
    a3 = a7 = k * decay * (a + one)
    a4 = a8 = -k * square_decay
    b1 = single(math.pow(two, -a))
    b2 = -square_decay
    c1 = c2 = one
    for i in range(w):
        ym1 = ym2 = xm1 = zero
        for j in range(h):
            y1[i, j] = a1 * imgIn[i, j] + a2 * xm1 + b1 * ym1 + b2 * ym2
            xm1 = imgIn[i, j]
            ym2 = ym1
            ym1 = y1[i, j]
    for i in range(w):
        yp1 = yp2 = xp1 = xp2 = zero
        for j in range(h - 1, -1, -1):
            y2[i, j] = a3 * xp1 + a4 * xp2 + b1 * yp1 + b2 * yp2
            xp2 = xp1
            xp1 = imgIn[i, j]
            yp2 = yp1
            yp1 = y2[i, j]
    for i in range(w):
        for j in range(h):
            imgOut[i, j] = c1 * (y1[i, j] + y2[i, j])
    for j in range(h):
        tm1 = ym1 = ym2 = zero
        for i in range(w):
            y1[i, j] = a5 * imgOut[i, j] + a6 * tm1 + b1 * ym1 + b2 * ym2
            tm1 = imgOut[i, j]
            ym2 = ym1
            ym1 = y1[i, j]
    for j in range(h):
        tp1 = tp2 = yp1 = yp2 = zero
        for i in range(w - 1, -1, -1):
            y2[i, j] = a7 * tp1 + a8 * tp2 + b1 * yp1 + b2 * yp2
            tp2 = tp1
            tp1 = imgOut[i, j]
            yp2 = yp1
            yp1 = y2[i, j]
    for i in range(w):
        for j in range(h):
            imgOut[i, j] = c2 * (y1[i, j] + y2[i, j])


def doitgen(nr: int, nq: int, np_: int, A: Array, C4: Array, total: Array) -> None:
    for r in range(nr):
        for q in range(nq):
            for p in range(np_):
                total[p] = 0.0
                for s in range(np_):
                    total[p] += A[r, q, s] * C4[s, p]
            for p in range(np_):
                A[r, q, p] = total[p]


def durbin(n: int, r: Array, y: Array) -> None:
    z = np.zeros(n)
    y[0] = -r[0]
    beta = 1.0
    alpha = -r[0]
    for k in range(1, n):
        beta = (1 - alpha * alpha) * beta
        total = 0.0
        for i in range(k):
            total += r[k - i - 1] * y[i]
        alpha = -(r[k] + total) / beta
        for i in range(k):
            z[i] = y[i] + alpha * y[k - i - 1]
        for i in range(k):
            y[i] = z[i]
        y[k] = alpha


def fdtd_2d(tmax: int, nx: int, ny: int, ex: Array, ey: Array, hz: Array, fict: Array) -> None:
    for t in range(tmax):
        for j in range(ny):
            ey[0, j] = fict[t]
        for i in range(1, nx):
            for j in range(ny):
                ey[i, j] = ey[i, j] - 0.5 * (hz[i, j] - hz[i - 1, j])
        for i in range(nx):
            for j in range(1, ny):
                ex[i, j] = ex[i, j] - 0.5 * (hz[i, j] - hz[i, j - 1])
        for i in range(nx - 1):
            for j in range(ny - 1):
                hz[i, j] = hz[i, j] - 0.7 * (ex[i, j + 1] - ex[i, j] + ey[i + 1, j] - ey[i, j])


def floyd_warshall(n: int, path: Array) -> None:
    for k in range(n):
        for i in range(n):
            for j in range(n):
                detour = path[i, k] + path[k, j]
                path[i, j] = path[i, j] if path[i, j] < detour else detour


def gemver(
    n: int,
    alpha: float,
    beta: float,
    A: Array,
    u1: Array,
    v1: Array,
    u2: Array,
    v2: Array,
    w: Array,
    x: Array,
    y: Array,
    z: Array,
) -> None:
    for i in range(n):
        for j in range(n):
            A[i, j] = A[i, j] + u1[i] * v1[j] + u2[i] * v2[j]
    for i in range(n):
        for j in range(n):
            x[i] = x[i] + beta * A[j, i] * y[j]
    for i in range(n):
        x[i] = x[i] + z[i]
    for i in range(n):
        for j in range(n):
            w[i] = w[i] + alpha * A[i, j] * x[j]


def gesummv(
    n: int, alpha: float, beta: float, A: Array, B: Array, tmp: Array, x: Array, y: Array
) -> None:
    for i in range(n):
        tmp[i] = 0.0
        y[i] = 0.0
        for j in range(n):
            tmp[i] = A[i, j] * x[j] + tmp[i]
            y[i] = B[i, j] * x[j] + y[i]
        y[i] = alpha * tmp[i] + beta * y[i]


def gramschmidt(m: int, n: int, A: Array, R: Array, Q: Array) -> None:
    for k in range(n):
        nrm = 0.0
        for i in range(m):
            nrm += A[i, k] * A[i, k]
        R[k, k] = math.sqrt(nrm)
        for i in range(m):
            Q[i, k] = A[i, k] / R[k, k]
        for j in range(k + 1, n):
            R[k, j] = 0.0
            for i in range(m):
                R[k, j] += Q[i, k] * A[i, j]
            for i in range(m):
                A[i, j] = A[i, j] - Q[i, k] * R[k, j]


def heat_3d(tsteps: int, n: int, A: Array, B: Array) -> None:
    def half_step(X: Array, Y: Array) -> None:
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                for k in range(1, n - 1):
                    Y[i, j, k] = (
                        0.125 * (X[i + 1, j, k] - 2.0 * X[i, j, k] + X[i - 1, j, k])
                        + 0.125 * (X[i, j + 1, k] - 2.0 * X[i, j, k] + X[i, j - 1, k])
                        + 0.125 * (X[i, j, k + 1] - 2.0 * X[i, j, k] + X[i, j, k - 1])
                        + X[i, j, k]
                    )

    for _ in range(1, tsteps + 1):
        half_step(A, B)
        half_step(B, A)


def jacobi_1d(tsteps: int, n: int, A: Array, B: Array) -> None:
    for _ in range(tsteps):
        for i in range(1, n - 1):
            B[i] = 0.33333 * (A[i - 1] + A[i] + A[i + 1])
        for i in range(1, n - 1):
            A[i] = 0.33333 * (B[i - 1] + B[i] + B[i + 1])


def jacobi_2d(tsteps: int, n: int, A: Array, B: Array) -> None:
    def half_step(X: Array, Y: Array) -> None:
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                Y[i, j] = 0.2 * (X[i, j] + X[i, j - 1] + X[i, 1 + j] + X[1 + i, j] + X[i - 1, j])

    for _ in range(tsteps):
        half_step(A, B)
        half_step(B, A)


def lu(n: int, A: Array) -> None:
    for i in range(n):
        for j in range(i):
            for k in range(j):
                A[i, j] -= A[i, k] * A[k, j]
            A[i, j] /= A[j, j]
        for j in range(i, n):
            for k in range(i):
                A[i, j] -= A[i, k] * A[k, j]


def ludcmp(n: int, A: Array, b: Array, x: Array, y: Array) -> None:
    for i in range(n):
        for j in range(i):
            w = A[i, j]
            for k in range(j):
                w -= A[i, k] * A[k, j]
            A[i, j] = w / A[j, j]
        for j in range(i, n):
            w = A[i, j]
            for k in range(i):
                w -= A[i, k] * A[k, j]
            A[i, j] = w
    for i in range(n):
        w = b[i]
        for j in range(i):
            w -= A[i, j] * y[j]
        y[i] = w
    for i in range(n - 1, -1, -1):
        w = y[i]
        for j in range(i + 1, n):
            w -= A[i, j] * x[j]
        x[i] = w / A[i, i]


def mvt(n: int, x1: Array, x2: Array, y_1: Array, y_2: Array, A: Array) -> None:
    for i in range(n):
        for j in range(n):
            x1[i] = x1[i] + A[i, j] * y_1[j]
    for i in range(n):
        for j in range(n):
            x2[i] = x2[i] + A[j, i] * y_2[j]


def nussinov(n: int, seq: Array, table: Array) -> None:
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            if j - 1 >= 0:
                table[i, j] = max(table[i, j], table[i, j - 1])
            if i + 1 < n:
                table[i, j] = max(table[i, j], table[i + 1, j])
            if j - 1 >= 0 and i + 1 < n:
                if i < j - 1:
                    match = 1 if seq[i] + seq[j] == 3 else 0
                    table[i, j] = max(table[i, j], table[i + 1, j - 1] + match)
                else:
                    table[i, j] = max(table[i, j], table[i + 1, j - 1])
            for k in range(i + 1, j):
                table[i, j] = max(table[i, j], table[i, k] + table[k + 1, j])


def seidel_2d(tsteps: int, n: int, A: Array) -> None:
    for _ in range(tsteps):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                A[i, j] = (
                    A[i - 1, j - 1]
                    + A[i - 1, j]
                    + A[i - 1, j + 1]
                    + A[i, j - 1]
                    + A[i, j]
                    + A[i, j + 1]
                    + A[i + 1, j - 1]
                    + A[i + 1, j]
                    + A[i + 1, j + 1]
                ) / 9.0


def symm(m: int, n: int, alpha: float, beta: float, C: Array, A: Array, B: Array) -> None:
    for i in range(m):
        for j in range(n):
            temp2 = 0.0
            for k in range(i):
                C[k, j] += alpha * B[i, j] * A[i, k]
                temp2 += B[k, j] * A[i, k]
            C[i, j] = beta * C[i, j] + alpha * B[i, j] * A[i, i] + alpha * temp2


def syr2k(n: int, m: int, alpha: float, beta: float, C: Array, A: Array, B: Array) -> None:
    for i in range(n):
        for j in range(i + 1):
            C[i, j] *= beta
        for k in range(m):
            for j in range(i + 1):
                C[i, j] += A[j, k] * alpha * B[i, k] + B[j, k] * alpha * A[i, k]


def syrk(n: int, m: int, alpha: float, beta: float, C: Array, A: Array) -> None:
    for i in range(n):
        for j in range(i + 1):
            C[i, j] *= beta
        for k in range(m):
            for j in range(i + 1):
                C[i, j] += alpha * A[i, k] * A[j, k]


def trisolv(n: int, L: Array, x: Array, b: Array) -> None:
    for i in range(n):
        x[i] = b[i]
        for j in range(i):
            x[i] -= L[i, j] * x[j]
        x[i] = x[i] / L[i, i]


def trmm(m: int, n: int, alpha: float, A: Array, B: Array) -> None:
    for i in range(m):
        for j in range(n):
            for k in range(i + 1, m):
                B[i, j] += A[k, i] * B[k, j]
            B[i, j] = alpha * B[i, j]


REFERENCES: Final[Mapping[str, Callable[..., None]]] = MappingProxyType(
    {
        "2mm": k2mm,
        "3mm": k3mm,
        "adi": adi,
        "atax": atax,
        "bicg": bicg,
        "cholesky": cholesky,
        "correlation": correlation,
        "covariance": covariance,
        "deriche": deriche,
        "doitgen": doitgen,
        "durbin": durbin,
        "fdtd-2d": fdtd_2d,
        "floyd-warshall": floyd_warshall,
        "gemm": gemm,
        "gemver": gemver,
        "gesummv": gesummv,
        "gramschmidt": gramschmidt,
        "heat-3d": heat_3d,
        "jacobi-1d": jacobi_1d,
        "jacobi-2d": jacobi_2d,
        "lu": lu,
        "ludcmp": ludcmp,
        "mvt": mvt,
        "nussinov": nussinov,
        "seidel-2d": seidel_2d,
        "symm": symm,
        "syr2k": syr2k,
        "syrk": syrk,
        "trisolv": trisolv,
        "trmm": trmm,
    }
)
