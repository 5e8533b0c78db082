import { readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { marked } from 'marked';
import { defineConfig, type Plugin } from 'vite';
import { chunkOf } from './scripts/chunks.ts';
import { usedIcons } from './scripts/icons.ts';
import { loadAhead } from './scripts/load-ahead.ts';

const API = 'http://127.0.0.1:3000';

const asBrotli = promisify(brotliCompress);
const asGzip = promisify(gzip);

/** Smaller files are sent as they are: their headers are most of what travels. */
const MIN_BYTES = 1024;

/**
 * Writes `.br` and `.gz` beside what is served as a file, as small as they get. The server fills in index.html, and
 * sends it as it is.
 */
function compressedFiles(): Plugin {
  const compress = async (path: string) => {
    const bytes = await readFile(path);
    if (bytes.length <= MIN_BYTES) return;
    const [br, gz] = await Promise.all([asBrotli(bytes), asGzip(bytes, { level: 9 })]);
    await Promise.all([writeFile(`${path}.br`, br), writeFile(`${path}.gz`, gz)]);
  };
  return {
    name: 'compressed-files',
    apply: 'build',
    async writeBundle({ dir = '' }) {
      const names = await readdir(dir, { recursive: true });
      await Promise.all(
        names
          .filter((name) => /(?:\.(?:css|js|svg|txt)|(?:guide|law)\.html)$/.test(name))
          .map((name) => compress(join(dir, name))),
      );
    },
  };
}

/** The documents that users read in the browser: each page of src/web, what it shows, and its name in the head. */
const DOCUMENTS: Readonly<Record<string, { readonly path: string; readonly name: string }>> = {
  'guide.html': { path: 'docs/guide.md', name: '使い方ガイド' },
  'law.html': { path: 'docs/law.md', name: '法律' },
};

/** Returns the head of a page: the way back to the product, and the other document. */
function headOf(here: string): string {
  const links = Object.entries(DOCUMENTS).map(
    ([page, { name }]) => `<a href="/${page}"${page === here ? ' aria-current="page"' : ''}>${name}</a>`,
  );
  return [
    '<header><a href="/"><img src="/icon.svg" alt="" width="24" height="24" />Kaitaku</a>',
    `<nav aria-label="資料">${links.join('')}</nav></header>`,
  ].join('');
}

/**
 * Makes the list of contents at a page's beginning stick beside the text; narrow windows get it folded above the text.
 * It stands twice, because a closed `details` cannot be opened by CSS in all browsers.
 */
const withContents = (body: string): string =>
  body.replace(/<ul>(?:\s|<\/?(?:ul|li)>|<a href="#[^"]+">[^<]+<\/a>)+<\/ul>/, (list) =>
    [
      `<nav class="contents" aria-label="目次">${list}</nav>`,
      `<details class="contents"><summary>目次</summary>${list}</details>`,
    ].join('\n'),
  );

/** Renders these documents into their pages. Vite then finds their pictures, and names them by their content. */
function documentPages(): Plugin {
  return {
    name: 'document-pages',
    configureServer: ({ watcher }) =>
      void watcher.add(Object.values(DOCUMENTS).map(({ path }) => join(import.meta.dirname, path))),
    transformIndexHtml: {
      order: 'pre',
      async handler(html, { filename }) {
        const page = basename(filename);
        const path = DOCUMENTS[page]?.path;
        if (path === undefined) return html;
        const source = (await readFile(join(import.meta.dirname, path), 'utf8'))
          .replaceAll('](images/', '](../../docs/images/')
          .replace(/\]\((guide|law)\.md/g, '](/$1.html')
          // Between Japanese characters a browser would show the line break as a space.
          .replace(/(?<=[\u2460-\u24ff\u3000-\uffef])\n(?=[\u2460-\u24ff\u3000-\uffef])/g, '');
        const [, title = ''] = /^# (.+)$/m.exec(source) ?? [];
        const body = marked.parse(source, { async: false }).replaceAll('<img ', '<img loading="lazy" ');
        return html
          .replace('<title>', () => `<title>${title}`)
          .replace('<body>', () => `<body>${headOf(page)}`)
          .replace(`<!-- ${path} -->`, () => withContents(body));
      },
    },
  };
}

export default defineConfig({
  root: 'src/web',
  plugins: [usedIcons(), react(), documentPages(), loadAhead(), compressedFiles()],
  build: {
    outDir: '../../dist/web',
    emptyOutDir: true,
    rolldownOptions: {
      // They compare the time of callbacks with that of the build, which says nothing to who starts the program.
      checks: { pluginTimings: false },
      input: ['src/web/index.html', ...Object.keys(DOCUMENTS).map((page) => `src/web/${page}`)],
      output: {
        codeSplitting: {
          groups: [{ name: chunkOf, debugName: 'shared' }],
        },
      },
    },
    // Which files a screen loads: bench/first-load.ts
    manifest: true,
    // Inlined files would be data: URLs, which the policy forbids for styles and fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  // /u: the public page of refusal links.
  server: { proxy: { '/api': API, '^/u/': API } },
  preview: { proxy: { '/api': API, '^/u/': API } },
});
