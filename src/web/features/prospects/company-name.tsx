import type { MouseEvent } from 'react';
import type { ProspectView } from '#contract/prospect.ts';
import styles from './company-name.module.css';

/** Leads to the details of a company. */
export interface CompanyLinks {
  readonly pathOf: (id: number) => string;
  /** Opens the details beside the list. */
  readonly onOpen: (id: number) => void;
}

interface Props {
  readonly prospect: ProspectView;
  readonly links: CompanyLinks;
}

/** The name as a link to the company. A plain element, because a page has 200, and a Link follows each navigation. */
export function CompanyName({ prospect: { id, company_name }, links }: Props) {
  function open(event: MouseEvent): void {
    const { button, ctrlKey, metaKey, shiftKey, altKey } = event;
    const isPlain = button === 0 && ![ctrlKey, metaKey, shiftKey, altKey].includes(true);
    // The browser opens a new tab or window, and saves a link.
    if (!isPlain) return;
    event.preventDefault();
    links.onOpen(id);
  }
  return (
    <a href={links.pathOf(id)} data-company={id} title={company_name} className={styles.name} onClick={open}>
      {company_name}
    </a>
  );
}
