FROM node:24-slim
RUN apt-get update && apt-get install -y --no-install-recommends git ca-certificates && rm -rf /var/lib/apt/lists/*
WORKDIR /hearth
COPY package.json package-lock.json ./
RUN npm ci --omit=dev && npm cache clean --force
COPY hearth LICENSE NOTICE ./
COPY src ./src
RUN mkdir /data && chown node:node /data
USER node
ENV HEARTH_HOST=0.0.0.0 HEARTH_DATA=/data
VOLUME /data
EXPOSE 3000
HEALTHCHECK --start-period=60s CMD node -e "fetch('http://127.0.0.1:'+(process.env.HEARTH_PORT??3000)+'/readyz').then(r=>process.exit(r.ok?0:1),()=>process.exit(1))"
ENTRYPOINT ["./hearth"]
CMD ["serve"]
