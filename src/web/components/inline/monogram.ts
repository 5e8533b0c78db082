import type { ProspectView } from '#contract/companies/prospects.ts';
import { monogramOf, toneOf } from '#domain/company/at-a-glance.ts';
import styles from './monogram.module.css';

/**
 * Shows a company's monogram before its name, in the tone of its industry. The letter is CSS content: screen readers,
 * search and copying skip it, and 200 rows need no extra element.
 */
export const monogram = ({
  company_name,
  major_industry_type,
}: Pick<ProspectView, 'company_name' | 'major_industry_type'>) => ({
  className: styles.monogram ?? '',
  'data-monogram': monogramOf(company_name),
  'data-tone': toneOf(major_industry_type),
});
