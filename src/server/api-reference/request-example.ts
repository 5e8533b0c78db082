import type { Operation, Parameter } from './openapi-document.ts';

/** The request of the examples, in parts. */
interface ExampleRequest {
  readonly method: string;
  readonly path: string;
  /** By the names that axios uses: `columns` for `columns[]`. */
  readonly query: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  /** The body is bytes: of the file `part`, or the variable `bytes`. */
  readonly isRaw: boolean;
}

export function exampleRequest(path: string, method: string, { parameters, requestBody }: Operation): ExampleRequest {
  const json = requestBody?.content['application/json'];
  const given = (place: Parameter['in']) =>
    parameters.filter((parameter) => parameter.in === place && parameter.example !== undefined);
  const values = (place: Parameter['in']) =>
    Object.fromEntries(given(place).map(({ name, example }) => [name.replace(/\[\]$/, ''), example]));
  return {
    method,
    path: given('path').reduce((url, { name, example }) => url.replace(`{${name}}`, String(example)), path),
    query: values('query'),
    headers: values('header'),
    ...(json && { body: json.example }),
    isRaw: requestBody !== undefined && json === undefined,
  };
}

/** Returns the request as a shell command. The reader sets BASE and TOKEN (page.ts). */
export function asCurl({ method, path, query, headers, body, isRaw }: ExampleRequest, open: boolean): string {
  const all = Object.entries(query).flatMap(([name, value]) => queryPairs(name, value));
  // Curl sends either a query or a body by its options.
  const pairs = isRaw ? [] : all;
  const url = isRaw && all.length > 0 ? `${path}?${new URLSearchParams(all).toString()}` : path;
  const sent = [
    ...(open ? [] : ['-H "Authorization: Bearer $TOKEN"']),
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${String(value)}`)}`),
    ...pairs.map(([name, value]) => `--data-urlencode ${quoted(`${name}=${value}`)}`),
    ...(body === undefined
      ? []
      : [`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(body, null, 2))}`]),
    ...(isRaw ? [`-H 'Content-Type: ${RAW_TYPE}'`, '--data-binary @part'] : []),
  ];
  const start = pairs.length > 0 ? 'curl -G' : method === 'get' ? 'curl' : `curl -X ${method.toUpperCase()}`;
  return [`${start} "$BASE${url}"`, ...sent].join(' \\\n  ');
}

/** A placeholder for the variable `bytes`. */
const BYTES = Symbol('bytes');
const RAW_TYPE = 'application/octet-stream';

/** Returns the request as an axios call. The reader sets `api` (page.ts). */
export function asAxios({ method, path, query, headers: given, body, isRaw }: ExampleRequest): string {
  const headers = isRaw ? { ...given, 'Content-Type': RAW_TYPE } : given;
  const config = {
    ...(Object.keys(query).length > 0 && { params: query }),
    ...(Object.keys(headers).length > 0 && { headers }),
  };
  const hasConfig = Object.keys(config).length > 0;
  const values = [
    path,
    ...(isRaw ? [BYTES] : body !== undefined ? [body] : method !== 'get' && hasConfig ? [null] : []),
    ...(hasConfig ? [config] : []),
  ];
  const sources = values.map((value) => (value === BYTES ? 'bytes' : asSource(value)));
  return `const { data } = await api.${method}(${sources.join(', ')});`;
}

/** Flattens a query value as axios does: `where_info[id]=1` and `columns[]=id`. */
function queryPairs(name: string, value: unknown): [string, string][] {
  if (Array.isArray(value)) return value.flatMap((item) => queryPairs(`${name}[]`, item));
  if (typeof value !== 'object' || value === null) return [[name, String(value)]];
  return Object.entries(value).flatMap(([field, part]) => queryPairs(`${name}[${field}]`, part));
}

/** Formats a value as JavaScript source: names without quotes, texts in single quotes. */
function asSource(value: unknown): string {
  return JSON.stringify(value, null, 2)
    .replace(/^(\s*)"([A-Za-z_]\w*)":/gm, '$1$2:')
    .replace(
      /"((?:[^"\\]|\\.)*)"/g,
      (_all, inner: string) => `'${inner.replaceAll('\\"', '"').replaceAll("'", "\\'")}'`,
    );
}

/** Quotes a text for a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
