import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin, Rolldown } from 'vite';
import { FIRST_SCREEN, WORKSPACE } from './chunks.ts';

const SCRIPT = join(import.meta.dirname, '../src/web/list-ahead.js');

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

/** Returns the paths of files that the list needs besides the page's own. @throws if a part is not in the build */
function filesOfList(bundle: Bundle, html: string): string[] {
  const names = new Set<string>();
  for (const part of [WORKSPACE, FIRST_SCREEN]) {
    const found = Object.values(bundle).find((file) => file.type === 'chunk' && file.facadeModuleId?.endsWith(part));
    if (!found) throw new Error(`${part} is no part of its own`);
    withImports(bundle, found.fileName, names);
  }
  const paths = [...names, ...new Set(stylesOf(bundle, names))].map((name) => `/${name}`);
  return paths.filter((path) => !html.includes(path));
}

/** Inserts src/web/list-ahead.js into the page, with the files that it loads. The server permits it by its hash. */
export function listAhead(): Plugin {
  return {
    name: 'list-ahead',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      async handler(html, { bundle, path }) {
        if (path !== '/index.html' || !bundle) return html;
        const children = await readFile(SCRIPT, 'utf8');
        const attrs = { 'data-files': filesOfList(bundle, html).join(' ') };
        return [{ tag: 'script', attrs, children, injectTo: 'head-prepend' }];
      },
    },
  };
}
