#!/usr/bin/env python3
"""Plot the field that heatsolve wrote: plot_field.py [field.h5 [picture.png]]

Needs h5py and matplotlib (apt install python3-h5py python3-matplotlib).
"""
import sys

import h5py
import matplotlib

source = sys.argv[1] if len(sys.argv) > 1 else "field.h5"
target = sys.argv[2] if len(sys.argv) > 2 else None
if target:
    matplotlib.use("Agg")  # no window
import matplotlib.pyplot as plt

with h5py.File(source) as file:
    temperature = file["temperature"][:]  # (ny, nx), row 0 in the south
    x, y = file["x"][:], file["y"][:]  # m
    units = file["temperature"].attrs["units"]
    title = file.attrs["title"] or source
    configuration = file.attrs["configuration"]
    print(f"{source}: {file.attrs['status']} after {file.attrs['iterations']} sweeps "
          f"on {file.attrs['backend']}, heatsolve {file.attrs['version']}")

print(configuration)

figure, axes = plt.subplots(constrained_layout=True)
image = axes.pcolormesh(x, y, temperature, cmap="inferno", shading="gouraud")
axes.contour(x, y, temperature, levels=8, colors="white", linewidths=0.5)
axes.set(title=title, xlabel="x (m)", ylabel="y (m)", aspect="equal")
figure.colorbar(image, label=f"Temperature ({units})")
if target:
    figure.savefig(target, dpi=150)
else:
    plt.show()
