# One image for `web`, `worker`, `migrate` and the other commands. Its context is the unpacked package without the parts
# that it brings, which `npm run release` makes (docs/operations.md).
# `test/deployment.test.ts` reads this file. The version of Node is that of the packages `node-…` in package.json.
# The bundled PostgreSQL and Node of `npm start` stay out.
# Not `npm ci`: it wants other platforms' optional packages in the lock file too (npm/cli#4828).
FROM node:24.21.0-trixie-slim AS dependencies
WORKDIR /app
COPY package.json npm-shrinkwrap.json ./
RUN npm install --omit=dev --omit=optional --ignore-scripts

FROM node:24.21.0-trixie-slim
ENV NODE_ENV=production HOST=0.0.0.0
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
COPY package.json LICENSE ./
COPY migrations migrations
COPY src src
COPY dist dist
# DATA_DIR: a volume that is mounted here is written to by whoever runs it.
RUN mkdir -m 1777 data
USER node
EXPOSE 3000
# Alive, not ready: a new container does not help against a database that is away. For `web`; compose.yaml has that of `worker`.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT ?? 3000}/health/live`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Without the launcher of the package, which would stand between it and SIGTERM.
ENTRYPOINT ["node", "--enable-source-maps", "dist/server/main.js"]
CMD ["web"]
