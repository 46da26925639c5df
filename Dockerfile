# OpenChrome over HTTP, with Debian's Chromium, as a user without rights and with Chrome's sandbox on.
#
#   docker build -t openchrome .
#   docker run --rm -p 127.0.0.1:3000:3000 -e OPENCHROME_TOKEN=<secret> --security-opt seccomp=docker-seccomp.json --shm-size 1g openchrome
#
# The sandbox makes user namespaces, which Docker's default seccomp profile refuses: docker-seccomp.json is the way to allow
# just that. Without it the server says so when Chrome is first needed, instead of running Chrome unprotected.
FROM node:22-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts && npm rebuild esbuild
COPY . .
RUN npm run build

FROM node:22-bookworm-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends chromium fonts-liberation fonts-noto-color-emoji tini \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --create-home --shell /usr/sbin/nologin openchrome
COPY --from=build /build/dist /opt/openchrome
USER openchrome
WORKDIR /home/openchrome
ENV CHROME_PATH=/usr/bin/chromium OPENCHROME_HOME=/home/openchrome/.openchrome
VOLUME /home/openchrome/.openchrome
EXPOSE 3000
ENTRYPOINT ["tini", "--", "node", "/opt/openchrome/index.js"]
CMD ["--http", "3000", "--host", "0.0.0.0", "--headless", "--sandbox"]
