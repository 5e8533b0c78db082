import type { ProspectView } from '#contract/companies/prospects.ts';
import { monogramOf, toneOf } from '#domain/company/at-a-glance.ts';
import styles from './monogram.module.css';

/**
 * Puts the monogram of a company before its name, in the tone of its industry. The letter is generated content: no
 * reader, search or copy meets it, and 200 rows have no element more.
 */
export const monogram = ({
  company_name,
  major_industry_type,
}: Pick<ProspectView, 'company_name' | 'major_industry_type'>) => ({
  className: styles.monogram ?? '',
  'data-monogram': monogramOf(company_name),
  'data-tone': toneOf(major_industry_type),
});
