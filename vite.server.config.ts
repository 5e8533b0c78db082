import { basename } from 'node:path';
import { defineConfig, type Plugin } from 'vite';

/** What runs in a process or a thread of its own: a source names it by `new URL('./NAME.ts', import.meta.url)`. */
const APART = [
  'src/server/platform/mail/catcher/mail-catcher.process.ts',
  'src/server/features/exports/xlsx-thread.ts',
  'src/server/features/imports/read/workbook/workbook-thread.ts',
  'src/server/features/inbox/mail-thread.ts',
];

/** Names the bundled files of these, which stand beside all others. Fails at one that is no entry. No letter moves. */
function filesApart(): Plugin {
  return {
    name: 'files-apart',
    transform(code) {
      if (!code.includes('import.meta.url')) return null;
      const named = code.replace(
        /new URL\((['"])\.\/([\w.-]+)\.ts\1, import\.meta\.url\)/g,
        (_all, _quote, name: string) => {
          if (!APART.some((path) => basename(path) === `${name}.ts`))
            this.error(`${name}.ts is no entry of the bundle`);
          return `new URL('./${name}.js', import.meta.url)`;
        },
      );
      return { code: named, map: null };
    },
  };
}

/** Bundles the server, for the package: Node strips no types below node_modules. Its dependencies stay outside. */
export default defineConfig({
  plugins: [filesApart()],
  publicDir: false,
  build: {
    ssr: true,
    outDir: 'dist/server',
    target: 'node24',
    sourcemap: true,
    rolldownOptions: {
      input: Object.fromEntries(
        ['src/server/main.ts', ...APART].map((path) => [basename(path).replace(/\.ts$/, ''), path]),
      ),
      output: { chunkFileNames: '[name]-[hash].js', sourcemapExcludeSources: true },
    },
  },
});
