# The course with everything set up, for linux/amd64 and linux/arm64:
#     docker build -t cuda-memory-course .
#     docker run --rm -it -p 127.0.0.1:8888:8888 -v cuda-memory-notebooks:/srv/cuda-memory-course/notebooks cuda-memory-course
# and with a GPU, `--gpus all` after `run` (NVIDIA Container Toolkit). Building sees no GPU: where the driver is older than 580,
# or the GPU than Turing, build with `--build-arg CUDA=12`, or the first start does what that does.
# By its tag, so that each build has Debian's mends. For an image that is the same on every day, add what
# `docker buildx imagetools inspect debian:trixie-slim` calls its digest: debian:trixie-slim@sha256:...
FROM debian:trixie-slim AS system

# What the README has a bare Debian install, and the certificates for PyPI. Their versions are the release's.
# hadolint ignore=DL3008
RUN apt-get update \
    && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
        ca-certificates git make g++ python3-venv python3-dev \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 1000 --shell /bin/bash learner \
    && install -d -o learner -g learner /srv/cuda-memory-course

# The course as it was committed. What else lies in the folder, such as answers, notes and names, stays there: .dockerignore gives
# a build git's own folder, and the Makefile, because a COPY that finds nothing is an error without a reason.
FROM system AS committed
COPY Makefile .gi[t] /repository/
RUN test -d /repository/objects \
    || { echo "This folder has no git repository of its own, so nobody can tell what in it was committed and what is yours." \
              "Clone the course (git clone), and build in the clone's folder." >&2; exit 1; }; \
    mkdir /course \
    && git --git-dir=/repository -c tar.umask=0022 archive --output=/course.tar HEAD \
    && tar --extract --file=/course.tar --directory=/course

FROM system

# What the NVIDIA Container Toolkit puts into a container: every GPU, with the driver's libcuda.so.1 and nvidia-smi.
ENV NVIDIA_VISIBLE_DEVICES=all NVIDIA_DRIVER_CAPABILITIES=compute,utility

# The learner, not root: JupyterLab refuses that. By number, for a Kubernetes that checks it.
USER 1000
WORKDIR /srv/cuda-memory-course

# First what the set-up reads, so that a change of a notebook does not compile PyCUDA again.
COPY --chown=1000:1000 --from=committed /course/Makefile /course/pyproject.toml /course/README.md /course/LICENSE ./
COPY --chown=1000:1000 --from=committed /course/requirements requirements
COPY --chown=1000:1000 --from=committed /course/tools tools
COPY --chown=1000:1000 --from=committed /course/packages packages
COPY --chown=1000:1000 --from=committed /course/course_files course_files
COPY --chown=1000:1000 --from=committed /course/course_lib course_lib
COPY --chown=1000:1000 --from=committed /course/courseware courseware
ARG CUDA=auto
RUN make setup "CUDA=$CUDA"
RUN COURSE_DRIVER=simulated make doctor
COPY --chown=1000:1000 --from=committed /course .
# The notebooks that JupyterLab may trust (tools/committed.py): there is no git in here.
RUN find notebooks -name '*.ipynb' -exec sha256sum {} + > notebooks.sha256

EXPOSE 8888
# JupyterLab takes the place of this Python, and so gets the signals of `docker stop`.
CMD ["python3", "tools/bootstrap.py", "lab", "--no-browser", "--ip=0.0.0.0", "--port=8888"]
