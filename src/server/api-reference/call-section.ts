import { type Html, html } from '../platform/http/html.ts';
import { isCommon } from './common-errors.ts';
import { byBrackets, byDots, type FieldRow, fieldRows, partRows } from './field-rows.ts';
import { branches, type JsonSchema } from './json-schema.ts';
import { inline, markdown } from './markdown.ts';
import { mediaOf } from './openapi.ts';
import type { Operation, Parameter } from './openapi-document.ts';
import { asAxios, asCurl, exampleRequest } from './request-example.ts';

/** Returns the section of one call on the page. */
export function callSection(path: string, method: string, operation: Operation): Html {
  const { operationId, summary, description = '', parameters, requestBody, responses } = operation;
  const open = operation.security?.length === 0;
  const request = exampleRequest(path, method, operation);
  const answer = responses[200] && mediaOf(responses[200]);
  return html`
<article class="call" id="${operationId}" aria-labelledby="${operationId}-title">
<h3 id="${operationId}-title"><a href="#${operationId}">${summary}</a></h3>
<p class="line"><span class="method ${method}">${method.toUpperCase()}</span><code>${path}</code>${
    open ? html`<span class="open">ログイン不要</span>` : null
  }</p>
<div class="columns">
<div class="told">
${markdown(description)}
${parameters.length > 0 ? parameterPart(parameters) : null}
${requestBody ? bodyPart(mediaOf(requestBody).schema) : null}
${answer ? answerPart(answer.schema) : null}
<h4>エラー</h4>
${errorTables(operation)}
</div>
<div class="shown">
<h4>リクエストの例</h4>
${figure('curl', asCurl(request, open))}
${figure('axios', asAxios(request))}
<h4>答えの例</h4>
${figure('200', JSON.stringify(answer?.example, null, 2))}
</div>
</div>
</article>`;
}

const PLACES: Record<Parameter['in'], string> = { path: 'パス', query: 'クエリ', header: 'ヘッダー' };

const necessity = ({ required }: FieldRow): string => (required ? '必須' : '任意');

function parameterPart(parameters: readonly Parameter[]): Html {
  const rows = parameters.flatMap(({ name, in: place, required, description = '', schema }) =>
    fieldRows(name, { ...schema, description }, required, byBrackets).map(
      (row) => [code(row.name), PLACES[place], row.type, necessity(row), detailsOf(row)] as const,
    ),
  );
  return html`<h4>パラメーター</h4>${table('パラメーター', ['名前', '場所', '型', '必須', '説明'], rows)}`;
}

function bodyPart(schema: JsonSchema): Html {
  const rows = partRows('', schema, byDots).map(
    (row) => [code(row.name), row.type, necessity(row), detailsOf(row)] as const,
  );
  return html`<h4>本文</h4>${table('本文', ['名前', '型', '必須', '説明'], rows)}`;
}

function answerPart(schema: JsonSchema): Html {
  const rows = partRows('', schema, byDots).map((row) => [code(row.name), row.type, detailsOf(row)] as const);
  const list = branches(schema).some(({ type }) => type === 'array');
  return html`<h4>答え${list ? '（配列）' : null}</h4>${table('答え', ['名前', '型', '説明'], rows)}`;
}

const detailsOf = ({ description, limits }: FieldRow): Html =>
  html`${inline(description)}${
    limits.length === 0
      ? null
      : html`<span class="limits">${limits.map((limit) => html`<span>${inline(limit)}</span>`)}</span>`
  }`;

/** Returns the call's own errors and, in a closed <details>, the common ones. */
function errorTables({ responses }: Operation): Html {
  const errors = Object.entries(responses).flatMap(([status, response]) => {
    const properties = mediaOf(response).schema.properties as Record<string, JsonSchema> | undefined;
    const cases = status === '200' ? [] : ((properties?.code?.oneOf ?? []) as { const: string; description: string }[]);
    return cases.map(({ const: name, description: when }) => ({ status, code: name, when }));
  });
  const own = errors.filter((error) => !isCommon(error));
  const common = errors.filter(isCommon);
  return html`
${own.length > 0 ? errorTable('この呼び出しのエラー', own) : null}
<details><summary>どの呼び出しにもあるエラー（${common.length}件）</summary>
${errorTable('どの呼び出しにもあるエラー', common)}
</details>`;
}

const errorTable = (title: string, errors: readonly { status: string; code: string; when: string }[]): Html =>
  table(
    title,
    ['コード', '状態', '起きるとき'],
    errors.map((error) => [code(error.code), error.status, inline(error.when)]),
  );

/** Returns a table whose first column is the row header. */
const table = (title: string, heads: readonly string[], rows: readonly (readonly (string | Html)[])[]): Html => html`
<table aria-label="${title}">
<thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>${rows.map(
  ([name = '', ...cells]) => html`
<tr><th scope="row">${name}</th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`,
)}
</tbody>
</table>`;

const code = (text: string): Html => html`<code>${text}</code>`;

const figure = (title: string, text: string): Html =>
  html`<figure><figcaption>${title}</figcaption><pre><code>${text}</code></pre></figure>`;
