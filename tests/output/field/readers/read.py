"""Opens the files of runs with one of the programs that read them, and compares what it finds with h5py.

usage: read.py READER FOLDER...     READER: h5py, xarray, netcdf4, pyvista, meshio, paraview

Each folder has the files of linear.ini or of layers.ini, under some options. Ends with 1 and a sentence where a reader
finds anything else than it should: places, orientation, units, times, materials, heat flux.
"""

import json
import os
import sys

import numpy as np


def need(condition, *what):
    if not condition:
        raise SystemExit(" ".join(str(part) for part in what))


def same(found, wanted, *what, rtol=0.0, atol=0.0):
    found, wanted = np.asarray(found), np.asarray(wanted)
    need(found.shape == wanted.shape, *what, "has the shape", found.shape, "and should have", wanted.shape)
    need(np.allclose(found, wanted, rtol=rtol, atol=atol), *what, "differs by", np.abs(found - wanted).max())


class Truth:
    """What a folder holds, from report.json, the configuration and plain arithmetic, not from the fields."""

    def __init__(self, folder):
        with open(os.path.join(folder, "report.json")) as file:
            report = json.load(file)
        self.folder = folder
        self.nx, self.ny, self.dx, self.dy = report["nx"], report["ny"], report["dx_m"], report["dy_m"]
        self.cells = report["layout"] == "cell"
        self.title = "layers" if report["transient"] else "linear"
        self.single = report["precision"] == "single"
        self.unit = report["temperature_unit"]
        first = 0.5 if self.cells else 0.0
        self.x, self.y = (np.arange(self.nx) + first) * self.dx, (np.arange(self.ny) + first) * self.dy
        self.x_cell = self.x if self.cells else self.x[:-1] + 0.5 * self.dx
        self.y_cell = self.y if self.cells else self.y[:-1] + 0.5 * self.dy
        self.lowest, self.highest = report["temperature_min_k"], report["temperature_max_k"]
        series = report["transient"] and report["transient"]["series"]
        self.times = series["time_s"] if series else [0.0]
        self.highests = series["temperature_max_k"] if series else [self.highest]
        self.time = self.times[-1]
        self.materials = series is not None
        self.material = np.broadcast_to(self.x_cell > 1, (len(self.y_cell), len(self.x_cell)))
        self.precision = 3e-7 if self.single else 1e-12

    def path(self, name):
        return os.path.join(self.folder, name)

    def check_field(self, t, x, y, who):
        """A field [row, column] with the places of its rows and columns."""
        same(x, self.x, who, "x", rtol=1e-12, atol=1e-12)
        same(y, self.y, who, "y", rtol=1e-12, atol=1e-12)
        need(t.shape == (self.ny, self.nx), who, "the field's shape is", t.shape)
        same([t.min(), t.max()], [self.lowest, self.highest], who, "the extremes", rtol=self.precision)
        if self.title == "linear":
            wanted = 300 + 10 * self.x[None, :] + 40 * self.y[:, None]
            same(t, wanted, who, "the field", atol=1e-8 + 300 * self.precision)
        else:  # warmest in the north-west, where the west wall is hottest, and coldest at the east wall
            warmest = np.unravel_index(t.argmax(), t.shape)
            need(warmest in ((self.ny - 1, 0), (self.ny - 2, 0)), who, "warmest at", warmest)
            need(t[2, 2] < t[-3, 2] and t[2, 2] > t[2, -3], who, "the field is turned")

    def check_cells(self, material, flux_x, flux_y, who):
        """Values [row, column] of cells."""
        if self.materials:
            same(material, self.material, who, "the material")
        need(flux_x.shape == self.material.shape, who, "the heat flux has the shape", flux_x.shape)
        if self.title == "linear":
            same(flux_x, np.full(flux_x.shape, -20.0), who, "the heat flux in x", atol=1e-6 + 2e5 * self.precision)
            same(flux_y, np.full(flux_y.shape, -80.0), who, "the heat flux in y", atol=1e-6 + 2e5 * self.precision)
        else:
            need((flux_x[-3, :5] > 0).all() and (flux_y[-3, :2] < 0).all(), who, "the heat flux has the wrong sign")

    def check_times(self, times, highests, who):
        same(times, self.times, who, "the times", rtol=1e-12)
        same(highests, self.highests, who, "the highest temperatures", rtol=self.precision)


def read_h5py(truth):
    import h5py

    def text(value):
        return value.decode() if isinstance(value, bytes) else value

    with h5py.File(truth.path("field.h5")) as file:
        need(text(file.attrs["Conventions"]) == "CF-1.11", "Conventions are", file.attrs["Conventions"])
        need(text(file.attrs["title"]) == truth.title, "the title is", file.attrs["title"])
        t = file["temperature"]
        need(text(t.attrs["units"]) == truth.unit, "units are", t.attrs["units"])
        need(t.dtype == ("f4" if truth.single else "f8"), "the type is", t.dtype)
        truth.check_field(t[:], t.dims[1][0][:], t.dims[0][0][:], "h5py")
        flux = file["heat_flux_x"]
        need(text(flux.attrs["units"]) == "W m-2", "units of the heat flux")
        same(flux.dims[1][0][:], truth.x_cell, "x_cell", atol=1e-12)
        truth.check_cells(file["material"][:] if truth.materials else None, flux[:], file["heat_flux_y"][:], "h5py")
        if truth.materials:
            material = file["material"].attrs
            need([text(name) for name in material["names"]] == ["background", "foam"], "names of materials")
            need(text(material["flag_meanings"]) == "background foam", "flag_meanings")
            need(list(material["flag_values"]) == [0, 1], "flag_values")
            need(material["flag_values"].dtype == file["material"].dtype, "the type of flag_values")
            need(file["time"][()] == truth.time, "the time is", file["time"][()])
    if truth.title == "layers":
        with h5py.File(truth.path("snapshots.h5")) as file:
            need(file["temperature"].is_virtual and file["temperature"].dims[0][0] == file["time"], "the view")
            truth.check_times(file["time"][:], file["temperature"][:].max(axis=(1, 2)), "h5py")
            for k in range(len(truth.times)):
                need((file["temperature"][k] == file[f"snapshots/{k}"][:]).all(), "snapshot", k)


def read_xarray(truth):
    import xarray

    for engine in ("h5netcdf", "netcdf4"):
        with xarray.open_dataset(truth.path("field.h5"), engine=engine) as data:
            t = data.temperature
            need(t.dims == ("y", "x") and t.units == truth.unit, engine, t.dims, t.units)
            need(set(data.dims) <= {"x", "y", "x_cell", "y_cell"}, engine, "dimensions", data.dims)
            truth.check_field(t.values, t.x.values, t.y.values, engine)
            middle = t.sel(x=truth.x[3], y=truth.y[-2], method="nearest")
            need(middle == t[-2, 3], engine, "selection by place")
            truth.check_cells(data.material.values if truth.materials else None, data.heat_flux_x.values,
                              data.heat_flux_y.values, engine)
            if truth.title == "layers":
                need(t.time == truth.time and t.time.dtype == "f8" and t.time.units == "s", engine, "the time", t.time)
        for group in ("convergence", "mesh"):
            if group == "mesh" and "grid" in truth.folder:
                continue
            with xarray.open_dataset(truth.path("field.h5"), engine=engine, group=group) as data:
                need(not [name for name in data.dims if str(name).startswith("phony")], engine, group, data.dims)
        if truth.title == "layers":
            with xarray.open_dataset(truth.path("snapshots.h5"), engine=engine) as data:
                t = data.temperature
                need(t.dims == ("time", "y", "x") and t.time.dtype == "f8", engine, t.dims, t.time.dtype)
                truth.check_times(t.time.values, t.max(("y", "x")).values, engine)
                truth.check_field(t.isel(time=-1).values, t.x.values, t.y.values, engine)
            with xarray.open_dataset(truth.path("snapshots.h5"), engine=engine, group="snapshots") as data:
                need(data["0"].dims == ("y", "x"), engine, "the group", data.dims)


def read_netcdf4(truth):
    import netCDF4

    with netCDF4.Dataset(truth.path("field.h5")) as data:
        t = data["temperature"]
        need(t.dimensions == ("y", "x") and t.units == truth.unit, t.dimensions, t.units)
        truth.check_field(t[:], data["x"][:], data["y"][:], "netCDF4")
        need(data["x"].axis == "X" and data["y"].axis == "Y" and data["x"].units == "m", "axes")


def image(values, truth, between):
    """Values of nodes or cells in VTK's order, as [row, column]."""
    between = between and not truth.cells
    return np.asarray(values).reshape(truth.ny - between, truth.nx - between)


def check_vtk(truth, points, node, cell, who, flux=None):
    """Arrays of a data set of VTK: node(name) and cell(name); flux: components, where they are one array."""
    points = np.asarray(points).reshape(truth.ny, truth.nx, 3)
    same(points[0, :, 0], truth.x, who, "x", rtol=1e-6)
    same(points[:, 0, 1], truth.y, who, "y", rtol=1e-6)
    need((points[..., 2] == 0).all(), who, "the plate is not in the plane of x and y")
    truth.check_field(image(node("temperature"), truth, False), truth.x, truth.y, who)
    if flux is None and cell is None:
        return
    components = flux[:, :2].T if flux is not None else (cell("heat_flux_x"), cell("heat_flux_y"))
    material = image(cell("material"), truth, True) if truth.materials else None
    truth.check_cells(material, image(components[0], truth, True), image(components[1], truth, True), who)


def read_pyvista(truth):
    import pyvista

    def values(data, name):
        return data.point_data[name] if truth.cells else data.cell_data[name]

    def check(data, who, flux=None):
        cell = None if "grid" in truth.folder and not truth.cells else lambda name: values(data, name)
        check_vtk(truth, data.points, lambda name: data.point_data[name], cell, who, flux)

    data = pyvista.read(truth.path("field.vti"))
    check_vtk(truth, data.points, lambda name: data.point_data[name], lambda name: values(data, name), "field.vti",
              values(data, "heat_flux"))
    need(data.field_data["TimeValue"][0] == truth.time, "field.vti: the time")
    if truth.materials:
        need(list(data.field_data["material_names"]) == ["background", "foam"], "field.vti: names of materials")
    reader = pyvista.get_reader(truth.path("field.xdmf"))
    same(reader.time_values, [truth.time], "field.xdmf: the times")
    check(reader.read(), "field.xdmf")
    check(pyvista.read(truth.path("field.xdmf")), "field.xdmf")
    if truth.title == "layers":
        reader = pyvista.get_reader(truth.path("snapshots.xdmf"))
        highests = []
        for time in reader.time_values:
            reader.set_active_time_value(time)
            highests.append(reader.read().point_data["temperature"].max())
        truth.check_times(reader.time_values, highests, "snapshots.xdmf")


def read_meshio(truth):
    import meshio

    if "grid" in truth.folder:
        return  # it reads no images
    for name in ("field.xdmf", "snapshots.xdmf")[:len(truth.times)]:
        with meshio.xdmf.TimeSeriesReader(truth.path(name)) as reader:
            points, cells = reader.read_points_cells()
            highests = []
            for k in range(reader.num_steps):
                time, point_data, cell_data = reader.read_data(k)
                highests.append(point_data["temperature"].max())
            same(time, truth.time, name, "the time")
            need([block.type for block in cells] == ["quad"], name, "the cells")
            corners = points[cells[0].data]  # counter-clockwise
            same(corners[:, 2], corners[:, 1] + corners[:, 3] - corners[:, 0], name, "the cells", atol=1e-9)
            sides = corners[:, 1] - corners[:, 0], corners[:, 3] - corners[:, 0]
            same(sides[0][:, 0] * sides[1][:, 1], np.full(len(corners), truth.dx * truth.dy), name, "areas", rtol=1e-6)
            t = np.asarray(point_data["temperature"]).reshape(truth.ny, truth.nx)
            truth.check_field(t, points[:truth.nx, 0], points[::truth.nx, 1], name)
            if name == "field.xdmf":
                found = point_data if truth.cells else {key: value[0] for key, value in cell_data.items()}
                truth.check_cells(found.get("material"), found["heat_flux_x"], found["heat_flux_y"], name)
                meshio.Mesh(points, cells, point_data={"temperature": t.ravel()})
            elif reader.num_steps > 1:
                same(highests, truth.highests, name, "the highest temperatures", rtol=truth.precision)


def read_paraview(truth):
    from paraview import servermanager, simple
    from vtkmodules.numpy_interface import dataset_adapter
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkCommonDataModel import vtkMultiBlockDataSet

    def data_at(source, time):
        source.UpdatePipeline(time)
        data = servermanager.Fetch(source)
        while isinstance(data, vtkMultiBlockDataSet):
            data = data.GetBlock(0)
        return data

    def check(data, who, flux=False, grid=False):
        points = np.array([data.GetPoint(n) for n in range(data.GetNumberOfPoints())])
        cells = data.GetPointData() if truth.cells else data.GetCellData()
        cell = None if grid and not truth.cells else lambda name: vtk_to_numpy(cells.GetArray(name))
        check_vtk(truth, points, lambda name: vtk_to_numpy(data.GetPointData().GetArray(name)), cell, who,
                  cell("heat_flux") if flux else None)

    image_reader = simple.XMLImageDataReader(FileName=[os.path.abspath(truth.path("field.vti"))])
    check(data_at(image_reader, truth.time), "field.vti", flux=True)
    for name in ("field.xdmf", "snapshots.xdmf")[:1 + (truth.title == "layers")]:
        path = os.path.abspath(truth.path(name))
        for kind in ("XDMFReader", "Xdmf3ReaderS", "Xdmf3ReaderT"):
            make = getattr(simple, kind)
            source = make(FileNames=[path]) if kind == "XDMFReader" else make(FileName=path)
            source.UpdatePipelineInformation()
            times = np.atleast_1d(np.asarray(source.TimestepValues, dtype=float))
            wanted = truth.times if name == "snapshots.xdmf" else [truth.time]
            if truth.title == "layers":  # of one time that is 0 ParaView makes none
                same(times, wanted, name, kind, "the times")
            fields = (data_at(source, time).GetPointData().GetArray("temperature") for time in wanted)
            highests = [vtk_to_numpy(field).max() for field in fields]
            if len(wanted) > 1:
                same(highests, truth.highests, name, kind, "the highest temperatures", rtol=truth.precision)
            data = data_at(source, truth.time)
            if name == "field.xdmf":
                check(data, kind, grid="grid" in truth.folder)
            else:
                check_vtk(truth, [data.GetPoint(n) for n in range(data.GetNumberOfPoints())],
                          lambda key: vtk_to_numpy(data.GetPointData().GetArray(key)), None, kind)


readers = {name[5:]: function for name, function in list(globals().items()) if name.startswith("read_")}

if __name__ == "__main__":
    for folder in sys.argv[2:]:
        try:
            readers[sys.argv[1]](Truth(folder))
        except SystemExit as end:
            raise SystemExit(f"{sys.argv[1]}, {os.path.basename(folder)}: {end}")
