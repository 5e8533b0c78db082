import { readFileSync } from 'node:fs';
import { API_BASE } from '#contract/call.ts';
import { type Html, html } from '../platform/http/html.ts';
import { PACKAGE } from '../platform/package.ts';
import { callSection } from './call-section.ts';
import { markdown } from './markdown.ts';
import type { OpenApiDocument, Operation } from './openapi-document.ts';

export const DOCUMENT_PATH = `${API_BASE}/openapi.json`;
export const STYLE_PATH = `${API_BASE}/docs.css`;
export const SCRIPT_PATH = `${API_BASE}/docs.js`;

/** Commands that a reader pastes as they stand; test/e2e/api-reference.test.ts runs them. */
const QUICK_START = readFileSync(PACKAGE.apiQuickStart, 'utf8');

interface ListedCall {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
}

/**
 * Returns the document as a page for people. Its script adds a search and copy buttons; the page reads well without it.
 * @param base the base URL that the examples call
 */
export function referencePage(document: OpenApiDocument, base: string): string {
  const { info, tags } = document;
  const calls = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const groups = tags.map((tag) => ({
    ...tag,
    calls: calls.filter(({ operation }) => operation.tags.includes(tag.name)),
  }));
  return html`<!doctype html>
<html lang="ja">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${info.title} リファレンス</title>
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${STYLE_PATH}">
<script src="${SCRIPT_PATH}" defer></script>
</head>
<body>
<a class="skip" href="#main">本文へ移動</a>
<header class="top">
<h1>${info.title} リファレンス</h1>
<p>バージョン ${info.version}<a href="${DOCUMENT_PATH}">OpenAPI 3.1（JSON）</a></p>
</header>
<nav aria-label="目次">
<search class="search" hidden>
<label for="search">呼び出しを検索</label>
<input id="search" type="search" autocomplete="off" spellcheck="false">
<p role="status"></p>
</search>
<ul>
<li><a href="#quick-start">クイックスタート</a></li>
<li><a href="#conventions">共通のきまり</a></li>
${groups.map(({ name, calls }) => tocEntry(name, calls))}
</ul>
</nav>
<main id="main">
<section class="group" id="quick-start" aria-labelledby="quick-start-title">
<h2 id="quick-start-title">クイックスタート</h2>
${markdown(QUICK_START.replace('{base}', base), 'h3')}
</section>
<section class="group" id="conventions" aria-labelledby="conventions-title">
<h2 id="conventions-title">共通のきまり</h2>
${markdown(info.description, 'h3')}
<h3>例の使い方</h3>
<p>curlの例は、<a href="#quick-start">クイックスタート</a>の <code>BASE</code> と <code>TOKEN</code> を使います。
axiosの例は、次の <code>api</code> を使います。</p>
<pre><code>${axiosSetup(base)}</code></pre>
</section>
${groups.map(
  ({ name, description, calls }) => html`
<section class="group" id="${name}" aria-labelledby="${name}-title">
<h2 id="${name}-title">${name}</h2>
<p>${description}</p>
${calls.map(({ path, method, operation }) => callSection(path, method, operation))}
</section>`,
)}
</main>
</body>
</html>
`.markup;
}

const axiosSetup = (base: string): string => `import axios from 'axios';

const api = axios.create({
  baseURL: '${base}',
  headers: { Authorization: \`Bearer \${token}\` },
});`;

const methodTag = (method: string): Html => html`<span class="method ${method}">${method.toUpperCase()}</span>`;

const tocEntry = (name: string, calls: readonly ListedCall[]): Html => html`
<li><a href="#${name}">${name}</a>
<ul>${calls.map(
  ({ method, operation: { operationId, summary } }) => html`
<li><a href="#${operationId}">${methodTag(method)}<span>${summary}</span></a></li>`,
)}
</ul>
</li>`;
