# One image for `web`, `worker`, `migrate` and the other commands, from a clone: `docker build .` (docs/operations.md).
# It holds the package that users install (`scripts/pack.ts`), without the bundled PostgreSQL and Node.
# `test/deployment.test.ts` reads this file, `npm run check:image` builds it. Node has the version of the packages
# `node-…` in package.json. Where npm needs settings of yours: `docker build --secret id=npmrc,src=$HOME/.npmrc .`
FROM node:24.21.0-trixie-slim AS build
WORKDIR /clone
COPY package.json package-lock.json ./
# With the optional packages: among them are Vite's native parts for this platform.
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm run build && node scripts/pack.ts / && tar xzf /kaitaku-*.tgz -C /
# By the package's shrinkwrap. Not `npm ci`: it wants other platforms' optional packages in the lock (npm/cli#4828).
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc cd /package && \
  npm install --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund --omit-lockfile-registry-resolved

FROM node:24.21.0-trixie-slim
ENV NODE_ENV=production HOST=0.0.0.0
WORKDIR /app
COPY --from=build /package .
# DATA_DIR: a volume that is mounted here is written to by whoever runs it. `/backups`: that of the nightly backups.
RUN mkdir -m 1777 data && install -d -o node -g node -m 0700 /backups
USER node
EXPOSE 3000
# Alive, not ready: a new container does not help against a database that is away. For `web`: compose.server.yaml has
# that of `worker`.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT ?? 3000}/health/live`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Without the launcher of the package, which would stand between it and SIGTERM.
ENTRYPOINT ["node", "--enable-source-maps", "dist/server/main.js"]
CMD ["web"]
