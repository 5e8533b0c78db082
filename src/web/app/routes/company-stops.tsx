import { lazy, useState } from 'react';
import type { CompanyDetail } from '#contract/companies.ts';
import { Button } from '#web/components/button.tsx';
import { PartBoundary } from '#web/components/part-boundary.tsx';
import { REPLY_MESSAGES } from '#web/features/replies/words.ts';
import { SuppressionNote } from '#web/features/suppressions/suppression-note.tsx';
import { SUPPRESSION_ADD_MESSAGES } from '#web/features/suppressions/words.ts';
import { prospectPath } from '#web/lib/address/paths.ts';
import { loadPart } from '#web/lib/load-part.ts';
import { Link } from '#web/lib/router/link.tsx';
import styles from './company.module.css';

/** The room of the answers until they are there, so that what follows them stays about where it is. */
const roomFor = (replies: number) => ({ minHeight: 40 + 240 * Math.min(replies, 5) });

const CompanyReplies = lazy(() => loadPart(() => import('#web/features/replies/company-replies.tsx')));

const MarkDialog = lazy(() => loadPart(() => import('#web/features/replies/mark-dialog.tsx')));

/** Why a company gets no mail, the acts that have it get none, and what it has answered. */
export function CompanyStops({ company }: { readonly company: CompanyDetail }) {
  const { id, company_name, maybe_refused, replied, replies } = company;
  const [isMarking, setMarking] = useState(false);
  return (
    <>
      <div className={styles.stops}>
        <CompanySuppression company={company} />
        {replied === 1 ? null : (
          <Button aria-haspopup="dialog" onClick={() => setMarking(true)}>
            {REPLY_MESSAGES.marking.button}
          </Button>
        )}
      </div>
      {maybe_refused === null || maybe_refused.id === id ? null : <Waiting {...maybe_refused} />}
      {replies === 0 ? null : (
        <PartBoundary waiting={<div style={roomFor(replies)} />}>
          <CompanyReplies prospectId={id} company={company_name} room={roomFor(replies)} />
        </PartBoundary>
      )}
      <PartBoundary>{isMarking ? <MarkDialog prospectId={id} onClose={() => setMarking(false)} /> : null}</PartBoundary>
    </>
  );
}

/** Says that a company waits for a decision about the answer of another one with its address. */
function Waiting({ id, company_name }: NonNullable<CompanyDetail['maybe_refused']>) {
  const [before, after] = REPLY_MESSAGES.waitingHelp;
  return (
    <p className={styles.waiting}>
      {before}
      <Link to={prospectPath(id)}>{company_name}</Link>
      {after}
    </p>
  );
}

const AddDialog = lazy(() => loadPart(() => import('#web/features/suppressions/add-dialog.tsx')));

/** Why a company gets no mail, or the act that has it get none. */
function CompanySuppression({ company: { company_email, suppressed } }: { readonly company: CompanyDetail }) {
  const [isOpen, setOpen] = useState(false);
  if (company_email === null || company_email === '') return null;
  if (suppressed !== null) return <SuppressionNote notice={suppressed} address={company_email} />;
  return (
    <div>
      <Button aria-haspopup="dialog" onClick={() => setOpen(true)}>
        {SUPPRESSION_ADD_MESSAGES.addCompany}
      </Button>
      <PartBoundary>
        {isOpen ? <AddDialog address={company_email} onClose={() => setOpen(false)} /> : null}
      </PartBoundary>
    </div>
  );
}
