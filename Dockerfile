# Superstep in a container: the package is built in one stage and installed in another, which has no compiler.
#
#   docker build -t superstep .
#   docker run --rm superstep mpirun -n 4 pregel pagerank --generate kron:scale=18 --iterations 20 --top 5
#
# The steps are the scripts that one runs by hand. A container's ranks are root, on whatever cores there are: the
# environment says so to Open MPI.
FROM debian:12-slim AS build
WORKDIR /src
COPY scripts scripts
RUN scripts/install_dependencies.sh
COPY . .
RUN scripts/package.sh /package

FROM debian:12-slim
COPY --from=build /package/superstep_*.deb /tmp/
RUN apt-get update && apt-get install -y --no-install-recommends /tmp/superstep_*.deb && \
    rm -rf /tmp/superstep_*.deb /var/lib/apt/lists/*
ENV OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 \
    OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_mpi_yield_when_idle=1
WORKDIR /work
CMD ["pregel", "--help"]
