import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin, Rolldown } from 'vite';
import { FIRST_SCREEN, LOGIN, WORKSPACE } from './chunks.ts';

const SCRIPT = join(import.meta.dirname, '../src/web/load-ahead.js');

type Bundle = Rolldown.OutputBundle;

/** Returns a chunk with all chunks that it imports statically. */
function withImports(bundle: Bundle, name: string, found = new Set<string>()): Set<string> {
  const chunk = bundle[name];
  if (found.has(name) || chunk?.type !== 'chunk') return found;
  found.add(name);
  for (const imported of chunk.imports) withImports(bundle, imported, found);
  return found;
}

const stylesOf = (bundle: Bundle, names: ReadonlySet<string>): string[] =>
  [...names].flatMap((name) => {
    const chunk = bundle[name];
    return chunk?.type === 'chunk' ? [...(chunk.viteMetadata?.importedCss ?? [])] : [];
  });

/** Returns the paths of files that parts need besides the page's own. @throws if a part is not in the build */
function filesOf(parts: readonly string[], bundle: Bundle, html: string): string {
  const names = new Set<string>();
  for (const part of parts) {
    const found = Object.values(bundle).find(
      (file) => file.type === 'chunk' && file.moduleIds.some((id) => id.endsWith(part)),
    );
    if (!found) throw new Error(`${part} is in no file`);
    withImports(bundle, found.fileName, names);
  }
  const paths = [...names, ...new Set(stylesOf(bundle, names))].map((name) => `/${name}`);
  return paths.filter((path) => !html.includes(path)).join(' ');
}

/**
 * Inserts src/web/load-ahead.js into the page, with the files that it loads for the list and for the login. The server
 * permits it by its hash.
 */
export function loadAhead(): Plugin {
  return {
    name: 'load-ahead',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      async handler(html, { bundle, path }) {
        if (path !== '/index.html' || !bundle) return html;
        // Comments would travel with each page.
        const children = (await readFile(SCRIPT, 'utf8')).replace(/^ *\/\/.*\n/gm, '');
        const attrs = {
          'data-list': filesOf([WORKSPACE, FIRST_SCREEN], bundle, html),
          'data-login': filesOf([LOGIN], bundle, html),
        };
        return [{ tag: 'script', attrs, children, injectTo: 'head-prepend' }];
      },
    },
  };
}
