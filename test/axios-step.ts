import type { AxiosRequestConfig } from 'axios';
import type { Tenant } from './prospects.ts';

/** What the steps of test/axios-story.ts are made of. */

/** What the client knows, and the last answer to each of its calls. */
export interface Story extends Tenant {
  readonly email: string;
  readonly templateId: number;
  readonly ids: readonly number[];
  /** A test mail that nobody knows the end of. */
  readonly unknownDelivery: number;
  /** Of the last mail to its new address. */
  readonly mailedSecret: () => string | undefined;
  readonly answers: Map<string, Record<string, never>>;
}

/** How a client writes what it sends. */
export interface Style {
  /** An object or list of a query. */
  readonly part: (value: object) => unknown;
  readonly config: AxiosRequestConfig;
  /** Behind each path. */
  readonly end: '' | '/';
}

/** A call of the route table, how it is asked, and the whole answer. */
export type Step = readonly [
  route: string,
  ask: (story: Story, style: Style) => readonly [path: string, body?: object | null, config?: AxiosRequestConfig],
  answer: (story: Story) => unknown,
];

/** A call of a list, with a filter and some columns. */
export const list = (
  route: `/${string}/list`,
  where: ((story: Story) => object) | null,
  columns: readonly string[],
  answer: Step[2],
): Step => [
  `GET ${route}`,
  (story, { part }) => [
    route,
    null,
    { params: { ...(where && { where_info: part(where(story)) }), columns: part(columns) } },
  ],
  answer,
];

/** An id that an earlier call answered with. */
export const idOf = ({ answers }: Story, route: string, field: string) =>
  answers.get(route)?.[field] as unknown as number;
