# The command and the Python package, each in an image of its own that holds no compiler, for a user without rights:
#
#     docker build --target command --tag karcher .
#     docker run --rm --network none --volume "$PWD:/data:ro" karcher mean FILE …
#
#     docker build --target python --tag karcher-python .
#     docker run --rm --network none --volume "$PWD:/data:ro" karcher-python FILE.py
#
# `make images` builds and tries both.

FROM rust:1.95-slim-bookworm AS sources
# The tools have the versions of the distribution that the image names.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends make python3-venv \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /karcher
COPY . .

FROM sources AS build-command
RUN make archive

FROM sources AS build-python
RUN make wheel

FROM debian:bookworm-slim AS command
COPY --from=build-command /karcher/target/archive/karcher-*/ /opt/karcher/
ENV PATH=/opt/karcher:$PATH
RUN useradd --create-home --uid 10001 karcher
USER 10001
WORKDIR /data
ENTRYPOINT ["karcher"]
CMD ["--help"]

FROM python:3.13-slim-bookworm AS python
RUN --mount=type=bind,from=build-python,source=/karcher/target/wheels,target=/wheels \
    pip install --no-cache-dir /wheels/*.whl \
    && useradd --create-home --uid 10001 karcher
USER 10001
WORKDIR /data
ENTRYPOINT ["python"]
