import IconCopy from '@tabler/icons-react/dist/esm/icons/IconCopy.mjs';
import type { ReactNode } from 'react';
import type { CompanyDetail } from '#contract/companies/companies.ts';
import { Button } from '#web/components/button.tsx';
import { copyText } from '#web/components/inline/copy-text.ts';
import { PhoneLink } from '#web/components/inline/phone-link.tsx';
import { WebLink } from '#web/components/inline/web-link.tsx';
import { Panel } from '#web/components/panel.tsx';
import { shownValue } from '#web/lib/data/company-value.ts';
import { withNote } from '#web/lib/phrases.ts';
import { sentenceTime } from '#web/lib/screen-time.ts';
import styles from './company.module.css';
import { FORM_ORDER, labelOf } from './company-form.ts';
import { COMPANY_MESSAGES } from './words.ts';

const UNITS: Readonly<Record<string, string>> = COMPANY_MESSAGES.units;

const URLS: ReadonlySet<string> = new Set(['company_url', 'contact_url', 'published_at_url']);
const SHOWN = FORM_ORDER.filter((field) => field !== 'company_name');

/** Shows the values of a company, without a line for blank ones. */
export function CompanyFacts({ company }: { readonly company: CompanyDetail }) {
  const { updated_at, changed_by } = company;
  return (
    <Panel title={COMPANY_MESSAGES.company}>
      <dl className={styles.facts}>
        {SHOWN.filter((field) => company[field] !== null && company[field] !== '').map((field) => (
          <div key={field}>
            <dt>{labelOf(field)}</dt>
            <dd>{renderValue(company, field)}</dd>
          </div>
        ))}
        <div>
          <dt>{COMPANY_MESSAGES.addressee}</dt>
          <dd>
            <bdi>{company.addressee}</bdi>
          </dd>
        </div>
      </dl>
      <small>{COMPANY_MESSAGES.changedAt(sentenceTime(updated_at), changed_by)}</small>
    </Panel>
  );
}

function renderValue(company: CompanyDetail, field: (typeof SHOWN)[number]): ReactNode {
  if (URLS.has(field)) return <WebLink url={String(company[field])} />;
  if (field === 'company_email') return <Address address={company.company_email ?? ''} />;
  if (field === 'phone') return <PhoneLink phone={company.phone} />;
  const text = shownValue(field, company[field]);
  return <bdi>{field in UNITS ? text + (UNITS[field] ?? '') : text}</bdi>;
}

function Address({ address }: { readonly address: string }) {
  return (
    <span className="line">
      <bdi>{address}</bdi>
      <Button
        variant="quiet"
        title={COMPANY_MESSAGES.copyEmail}
        aria-label={withNote(COMPANY_MESSAGES.copyEmail, address)}
        onClick={() => void copyText(address)}
      >
        <IconCopy size={16} aria-hidden />
      </Button>
    </span>
  );
}
