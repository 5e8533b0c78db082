import type { JsonSchema } from './json-schema.ts';

/** The parts of OpenAPI 3.1 that this API uses. */
export interface OpenApiDocument {
  readonly openapi: '3.1.1';
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly description: string;
    readonly license: object;
  };
  readonly servers: readonly { readonly url: string }[];
  readonly security: readonly object[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  /** By path, then by method in lower case. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly securitySchemes: object; readonly schemas: Readonly<Record<string, JsonSchema>> };
}

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  /** Empty for a public call. */
  readonly security?: readonly [];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly required: true; readonly content: Readonly<Record<string, Media>> };
  /** By status. */
  readonly responses: Readonly<Record<string, Response>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
  /** Set if the example of the call includes this parameter. */
  readonly example?: unknown;
  readonly style?: 'deepObject';
  readonly explode?: true;
}

export interface Media {
  readonly schema: JsonSchema;
  readonly example?: unknown;
}
/** An answer of one status. */
export interface Response {
  readonly description: string;
  readonly headers?: object;
  /** Has one media type. */
  readonly content: Readonly<Record<string, Media>>;
}
