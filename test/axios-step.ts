import type { AxiosRequestConfig } from 'axios';
import type { Tenant } from './prospects.ts';

/** The types and helpers of test/axios-story.ts. */

/** The client's state, and the last answer to each of its calls. */
export interface Story extends Tenant {
  readonly email: string;
  readonly templateId: number;
  readonly ids: readonly number[];
  /** A test mail with an unknown outcome. */
  readonly unknownDelivery: number;
  /** An unread notice that the first of `ids` has answered. */
  readonly noticeId: number;
  /** Returns the secret of the last mail to the new address. */
  readonly mailedSecret: () => string | undefined;
  /** Returns the key of the mail that resets the password, once it has arrived. */
  readonly mailedResetKey: () => Promise<string | undefined>;
  readonly answers: Map<string, Record<string, never>>;
}

/** How a client encodes a request. */
export interface Style {
  /** Encodes an object or list of a query. */
  readonly part: (value: object) => unknown;
  readonly config: AxiosRequestConfig;
  /** Appended to each path. */
  readonly end: '' | '/';
}

type Ask = readonly [path: string, body?: object | null, config?: AxiosRequestConfig];

/** A call of the route table, its request, and the complete answer. */
export type Step = readonly [
  route: string,
  ask: (story: Story, style: Style) => Ask | Promise<Ask>,
  answer: (story: Story) => unknown,
];

/** Returns a step that calls a list with a filter and some columns. */
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

/** Returns an id from the answer to an earlier call. */
export const idOf = ({ answers }: Story, route: string, field: string) =>
  answers.get(route)?.[field] as unknown as number;
