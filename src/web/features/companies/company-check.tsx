import { queryOptions } from '@tanstack/react-query';
import { type AnswerOf, call, type InputOf } from '#web/lib/api/call.ts';
import { unwrap } from '#web/lib/api/query-client.ts';
import { COMPANY_FORM_MESSAGES } from './words.ts';

export type CompanyCheck = AnswerOf<'checkProspect'>;

/** Fetches the server's hints about a company or a person that is being typed. @param request the query as JSON */
export const typedCheck = <Name extends 'checkProspect' | 'checkPerson'>(name: Name, request: string) =>
  queryOptions({
    queryKey: [name, request],
    queryFn: async ({ signal }): Promise<AnswerOf<Name>> =>
      unwrap(await call(name, { query: JSON.parse(request) } as InputOf<Name>, { signal })),
    staleTime: 0,
    gcTime: 0,
    // The form works without the hints.
    meta: { quiet: true },
  });

const AFFECTED = ['reserved', 'queued', 'sending', 'failed'] as const;

/** Shows how many mails a change of the address affects, by state. A suppressed address gets none of those to come. */
export function AffectedMails({ affected, suppressed }: Pick<CompanyCheck, 'affected' | 'suppressed'>) {
  const { title, stopped, ...moved } = COMPANY_FORM_MESSAGES.affected;
  const lines = AFFECTED.filter((state) => affected[state] > 0);
  const messages = suppressed === null ? moved : { ...moved, ...stopped };
  if (lines.length === 0) return null;
  return (
    <div className="tint" role="status">
      <strong>{title}</strong>
      <ul className="bullets">
        {lines.map((state) => (
          <li key={state}>{messages[state](affected[state])}</li>
        ))}
      </ul>
    </div>
  );
}
