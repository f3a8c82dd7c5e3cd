"""What pyproject.toml cannot say: the packages of four folders, found instead of listed."""

from setuptools import find_packages, setup

FOLDERS = {
    "polyir": "polyir",
    "polyir.dialects": "dialects",
    "polyir.passes": "passes",
    "polyir.tools": "tools",
}

setup(
    package_dir=FOLDERS,
    packages=[
        package
        for name, folder in FOLDERS.items()
        for package in (name, *(f"{name}.{inner}" for inner in find_packages(folder)))
    ],
)
