import { useQuery } from '@tanstack/react-query';
import { lazy, useState } from 'react';
import type { CompanyDetail } from '#contract/companies/companies.ts';
import { Button } from '#web/components/button.tsx';
import { WebLink } from '#web/components/inline/web-link.tsx';
import { Panel } from '#web/components/panel.tsx';
import { PartBoundary } from '#web/components/state/part-boundary.tsx';
import { inUse, type OwnField, ownFieldList } from '#web/lib/data/own/own-fields.ts';
import { loadPart } from '#web/lib/screen/load-part.ts';
import { May } from '#web/lib/session/use-may.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import facts from '../company.module.css';
import type { Undo } from '../save-company.ts';
import styles from './own.module.css';
import { shownOwn } from './own-form.ts';
import { OWN_MESSAGES as messages } from './words.ts';

const OwnDialog = lazy(() => loadPart(() => import('./own-dialog.tsx')));

interface Props {
  readonly company: CompanyDetail;
  readonly onSaved: (undo: Undo) => void;
}

/** Shows the values of the account's own fields in their order, blank ones folded. Without fields there is no panel. */
export function OwnPanel({ company, onSaved }: Props) {
  const { data } = useQuery({ ...ownFieldList, meta: { quiet: true } });
  const [isEditing, setEditing] = useState(false);
  const fields = inUse(data);
  if (fields.length === 0) return null;
  const blank = fields.filter((field) => shownOwn(field, company) === '');
  return (
    <Panel
      title={messages.title}
      tools={
        <May call="updateProspect">
          <Button aria-haspopup="dialog" aria-label={messages.edit} onClick={() => setEditing(true)}>
            {COMMON_MESSAGES.actions.edit}
          </Button>
        </May>
      }
    >
      <Values company={company} fields={fields.filter((field) => !blank.includes(field))} />
      {blank.length === 0 ? null : (
        <details className={styles.blank}>
          <summary>{messages.blank(blank.length)}</summary>
          <Values company={company} fields={blank} />
        </details>
      )}
      <PartBoundary>
        {isEditing ? (
          <OwnDialog company={company} fields={fields} onSaved={onSaved} onClose={() => setEditing(false)} />
        ) : null}
      </PartBoundary>
    </Panel>
  );
}

function Values({ company, fields }: Pick<Props, 'company'> & { readonly fields: readonly OwnField[] }) {
  if (fields.length === 0) return null;
  return (
    <dl className={facts.facts}>
      {fields.map((field) => {
        const text = shownOwn(field, company);
        return (
          <div key={field.id}>
            <dt>{field.label}</dt>
            <dd>{field.type === 'url' && text !== '' ? <WebLink url={text} /> : <bdi>{text || messages.none}</bdi>}</dd>
          </div>
        );
      })}
    </dl>
  );
}
