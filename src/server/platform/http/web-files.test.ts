import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { httpApp } from './http-app.ts';
import { contentSecurityPolicy } from './security-headers.ts';
import { addWebFiles } from './web-files.ts';

const hashOf = (script: string) => `sha256-${createHash('sha256').update(script).digest('base64')}`;

test('the page permits the script of the build within it, and no other answer does', async () => {
  const pages = await mkdtemp(join(tmpdir(), 'kaitaku-pages-'));
  onTestFinished(() => rm(pages, { recursive: true }));
  const script = '\nlet token = null;\n';
  const page = `<meta name="x" content=""><script data-files="a">${script}</script><script type="module" src="/a.js"></script>`;
  await writeFile(join(pages, 'index.html'), page);
  await writeFile(join(pages, 'guide.html'), page);
  const app = await httpApp({});
  await addWebFiles(app, { x: '"><script>alert(1)</script>' }, pages);
  const address = await app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => app.close());
  const policyOf = async (path: string) => (await fetch(address + path)).headers.get('content-security-policy');
  const permitted = contentSecurityPolicy([hashOf(script)]);
  expect(permitted).toContain(`script-src 'self' '${hashOf(script)}';`);
  expect([await policyOf('/'), await policyOf('/sends/1'), await policyOf('//x')]).toStrictEqual([
    permitted,
    permitted,
    permitted,
  ]);
  expect([await policyOf('/guide.html'), await policyOf('/assets/none.js')]).toStrictEqual([
    contentSecurityPolicy(),
    contentSecurityPolicy(),
  ]);
});
