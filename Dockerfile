FROM node:26-slim
RUN apt-get update && apt-get install -y --no-install-recommends git gpg ca-certificates && rm -rf /var/lib/apt/lists/*
WORKDIR /hearth
COPY package.json package-lock.json ./
RUN npm ci --omit=dev && npm cache clean --force
COPY hearth LICENSE NOTICE ./
COPY src ./src
# The image has no .git: docker build --build-arg COMMIT=$(git rev-parse HEAD)
ARG COMMIT=
RUN printf '%s' "$COMMIT" > COMMIT
RUN mkdir -p /data node_modules/.cache && chown node:node /data node_modules/.cache
USER node
# Bundles the code and fills the compile cache, without which each start compiles everything and holds the compiler of types.
RUN ./hearth bundle-code && ./hearth --version
ENV HEARTH_HOST=0.0.0.0 HEARTH_DATA=/data
VOLUME /data
EXPOSE 3000 3001 2222
HEALTHCHECK --start-period=60s --timeout=10s CMD ["node", "src/cli/health.ts"]
ENTRYPOINT ["./hearth"]
CMD ["serve"]
