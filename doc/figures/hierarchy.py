"""Draws doc/hierarchy.png: the levels of a plate of two materials, and what one coarse node stands for.

usage: python3 hierarchy.py FILE.png     (needs numpy and matplotlib)

Interpolation is that of src/numerics/coarsening.h, without its rules for insulated edges, and coarser operators are
Galerkin's; all as dense matrices, for a plate is small. Walls are insulated.
"""
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

NX, NY = 33, 17
GOOD, BAD = 50.0, 1.0
BLOCK = (13, 32, 0, 9)  # cells of the good conductor: i0, i1, j0, j1


def conductivity():
    k = np.full((NY - 1, NX - 1), BAD)
    k[BLOCK[2] : BLOCK[3], BLOCK[0] : BLOCK[1]] = GOOD
    return k


def operator(k):
    """A of the vertex layout: an edge has half of the cells on its sides."""
    a = np.zeros((NX * NY, NX * NY))
    padded = np.zeros((NY + 1, NX + 1))
    padded[1:-1, 1:-1] = k

    def couple(n, m, g):
        a[n, n] += g
        a[m, m] += g
        a[n, m] -= g
        a[m, n] -= g

    for j in range(NY):
        for i in range(NX):
            n = j * NX + i
            if i + 1 < NX:
                couple(n, n + 1, 0.5 * (padded[j, i + 1] + padded[j + 1, i + 1]))
            if j + 1 < NY:
                couple(n, n + NX, 0.5 * (padded[j + 1, i] + padded[j + 1, i + 1]))
    return a


def interpolation(a, nx, ny):
    """W from every second column and row."""
    cx, cy = (nx + 1) // 2, (ny + 1) // 2
    w = np.zeros((nx * ny, cx * cy))

    def g(i, j, di, dj):
        return -a[j * nx + i, (j + dj) * nx + i + di] if 0 <= i + di < nx and 0 <= j + dj < ny else 0.0

    for j in range(0, ny, 2):
        for i in range(0, nx, 2):
            w[j * nx + i, j // 2 * cx + i // 2] = 1.0
    for j in range(ny):
        for i in range(nx):
            n = j * nx + i
            if (i % 2) + (j % 2) != 1:
                continue
            along = (1, 0) if i % 2 else (0, 1)
            low, high = 0.0, 0.0
            for side in (-1, 0, 1):
                across = (along[1] * side, along[0] * side)
                low += g(i, j, across[0] - along[0], across[1] - along[1])
                high += g(i, j, across[0] + along[0], across[1] + along[1])
            for share, di in ((low, -1), (high, 1)):
                ci, cj = (i + di * along[0]) // 2, (j + di * along[1]) // 2
                if ci < cx and cj < cy:
                    w[n, cj * cx + ci] = share / (low + high)
    for j in range(1, ny, 2):
        for i in range(1, nx, 2):
            n = j * nx + i
            total = 0.0
            for dj in (-1, 0, 1):
                for di in (-1, 0, 1):
                    if di or dj:
                        total += g(i, j, di, dj)
                        if 0 <= i + di < nx and 0 <= j + dj < ny:
                            w[n] += g(i, j, di, dj) * w[(j + dj) * nx + i + di]
            w[n] /= total
    return w, cx, cy


def block(axes):
    i0, i1, j0, j1 = BLOCK
    axes.plot([i0, i1, i1, i0, i0], [j0, j0, j1, j1, j0], color="0.35", lw=1.5, ls="--")


def main(path):
    a, nx, ny = operator(conductivity()), NX, NY
    product, levels = np.eye(NX * NY), [(NX, NY)]
    shapes = []
    while len(levels) < 4:
        w, cx, cy = interpolation(a, nx, ny)
        a, nx, ny = w.T @ a @ w, cx, cy
        product = product @ w
        levels.append((nx, ny))
        shapes.append((product.copy(), nx, ny))
    figure, axes = plt.subplots(2, 2, figsize=(13.2, 7.6), constrained_layout=True)
    for level, (lx, ly) in enumerate(levels):
        step = 2**level
        x, y = np.meshgrid(np.arange(lx) * step, np.arange(ly) * step)
        axes[0, 0].scatter(x, y, s=(3, 16, 50, 130)[level], facecolors="none" if level else "0.55",
                           edgecolors=("0.55", "tab:blue", "tab:orange", "tab:red")[level], linewidths=1.3,
                           label=f"level {level}: {lx} x {ly}")
    block(axes[0, 0])
    axes[0, 0].set_title("Nodes of four levels; the dashed block conducts 50 times better")
    axes[0, 0].legend(loc="upper center", bbox_to_anchor=(0.5, -0.08), ncol=4, frameon=False)
    places = ((0, 1, (1, 3), "far from the block"), (1, 0, (3, 1), "beside it"), (1, 1, (4, 1), "in it, at its edge"))
    shape, cx, _ = shapes[1]
    for row, column, (i, j), where in places:
        t = shape[:, j * cx + i].reshape(NY, NX)
        drawn = axes[row, column].contourf(t, levels=np.linspace(0.0, 1.0, 11), cmap="inferno")
        axes[row, column].contour(t, levels=np.linspace(0.1, 0.9, 9), colors="white", linewidths=0.5)
        axes[row, column].plot(4 * i, 4 * j, "c+", ms=12, mew=2)
        block(axes[row, column])
        axes[row, column].set_title(f"What a node of level 2 stands for {where}")
    figure.colorbar(drawn, ax=axes, shrink=0.7, label="temperature, if that node has 1 and its neighbours have 0")
    for one in axes.flat:
        one.set_aspect("equal")
        one.set_xlim(-0.8, NX - 0.2)
        one.set_ylim(-0.8, NY - 0.2)
        one.set_xticks([])
        one.set_yticks([])
    figure.savefig(path, dpi=90, metadata={"Software": None})


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
