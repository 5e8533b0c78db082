import type { MouseEvent, ReactNode } from 'react';
import type { ProspectView } from '#contract/companies/prospects.ts';
import { monogram } from '#web/components/inline/monogram.ts';
import styles from './company-name.module.css';

/** Props for a link to the details of a company. */
export interface CompanyLinks {
  readonly pathOf: (id: number) => string;
  /** Opens the details beside the list. */
  readonly onOpen: (id: number) => void;
}

interface Props {
  readonly prospect: ProspectView;
  readonly links: CompanyLinks;
}

/** Shows the name, with its monogram, as a link to the company. */
export const CompanyName = ({ prospect, links }: Props) => (
  <CompanyLink
    id={prospect.id}
    links={links}
    title={prospect.company_name}
    data-company={prospect.id}
    {...monogram(prospect)}
  >
    {prospect.company_name}
  </CompanyLink>
);

interface LinkProps {
  readonly id: number;
  readonly links: CompanyLinks;
  readonly title: string;
  /** Marks the link that gets the focus when the details close. */
  readonly 'data-company'?: number;
  readonly className?: string;
  readonly 'data-monogram'?: string;
  readonly 'data-tone'?: number;
  readonly children: ReactNode;
}

/** Links to a company. A plain element, because a page has 200, and each Link would listen to navigations. */
export function CompanyLink({ id, links, className = '', children, ...attributes }: LinkProps) {
  function open(event: MouseEvent): void {
    const { button, ctrlKey, metaKey, shiftKey, altKey } = event;
    const isPlain = button === 0 && ![ctrlKey, metaKey, shiftKey, altKey].includes(true);
    // Leave it to the browser to open a new tab or window, or to save the link.
    if (!isPlain) return;
    event.preventDefault();
    links.onOpen(id);
  }
  return (
    <a {...attributes} href={links.pathOf(id)} className={`${styles.name} ${className}`} onClick={open}>
      {children}
    </a>
  );
}
