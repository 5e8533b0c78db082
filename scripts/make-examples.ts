import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import iconv from 'iconv-lite';
import { csvCell } from '../src/domain/text/harmless-cell.ts';
import { COLUMNS, type Field } from '../src/server/features/imports/read/table/columns.ts';
import { CITIES, CP932_NAMES, GIVEN_NAMES, INDUSTRIES, STEMS, SURNAMES } from './example-words.ts';

/**
 * Writes the sample lists under examples/: `node scripts/make-examples.ts`.
 * The companies are invented, and their addresses are under .example (RFC 2606), which receives no mail. The output is
 * the same each time.
 */

/** A corporate or telephone number could belong to a real company, and pages of these companies were never seen. */
const LEFT_OUT = ['corporate_number', 'phone', 'published_at_url', 'published_seen_on', 'publication_notice'] as const;
type SampleField = Exclude<Field, (typeof LEFT_OUT)[number]>;
type Company = Record<SampleField, string>;
type Random = () => number;

const isSample = (field: Field): field is SampleField => !(LEFT_OUT as readonly Field[]).includes(field);
const SAMPLE_COLUMNS = COLUMNS.flatMap(({ field, label }) => (isSample(field) ? [{ field, label }] : []));

/** Returns a generator of numbers 0 ≤ n < 1 (mulberry32). */
function seededRandom(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const CAPITALS = [3, 5, 10, 10, 20, 30, 50, 80, 98, 100, 300, 500, 1000, 3000];
const MILLION = 1_000_000;

function makeCompany(random: Random, takenDomains: Set<string>): Company {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const between = (low: number, high: number) => low + random() * (high - low);
  const often = (probability: number, value: string) => (random() < probability ? value : '');

  const industry = pick(INDUSTRIES);
  const [stem, stemReading] = pick(STEMS);
  const [suffix, suffixReading] = pick(industry.suffixes);
  const year = Math.floor(2025 - 90 * random() ** 1.6);
  // In 2006 a law closed 有限会社 to new companies and introduced 合同会社.
  const small = year < 2006 ? '有限会社' : '合同会社';
  const form = random() < 0.75 ? '株式会社' : small;
  const name = random() < 0.6 ? form + stem + suffix : stem + suffix + form;
  const domain = freeDomain(`${stemReading}-${suffixReading}`, takenDomains);

  const [city = '', ...towns] = pick(CITIES);
  const block = [between(1, 6), between(1, 20), between(1, 30)].map(Math.floor).join('-');
  const building = often(0.2, ` ${stem}ビル${Math.floor(between(2, 10))}階`);

  // About half of the companies have fewer than 30 people, few have more than 500.
  const employees = Math.max(2, Math.round(30 * Math.exp(between(-1, 1) * 1.5 + between(-1, 1) * 1.8)));
  const sales = Math.round(employees * between(...industry.salesPerHead)) * MILLION;
  const profit = Math.round((sales * between(-0.04, 0.11)) / 10_000) * 10_000;
  const capital =
    (CAPITALS[Math.min(CAPITALS.length - 1, Math.floor(Math.log2(employees) + between(-1, 3)))] ?? 10) * MILLION;

  return {
    company_name: name,
    company_email: often(0.9, `${pick(['info', 'info', 'info', 'contact', 'office', 'soumu'])}@${domain}`),
    ceo: often(0.93, `${pick(SURNAMES)} ${pick(GIVEN_NAMES)}`),
    major_industry_type: industry.major,
    included_industry_type: often(0.94, pickSome(industry.inner, 1 + Math.floor(random() * 3), random).join('、')),
    address: `${city}${pick(towns)}${block}${building}`,
    number_of_employees: often(0.95, String(employees)),
    amount_of_sales: often(0.88, String(sales)),
    ordinary_profit: often(0.75, profit < 0 ? `△${-profit}` : String(profit)),
    capital: often(0.93, String(capital)),
    year_of_establishment: often(0.96, String(year)),
    company_url: often(0.88, `https://www.${domain}/`),
    contact_url: often(0.7, `https://www.${domain}/${pick(['contact', 'inquiry', 'toiawase', 'form'])}`),
  };
}

function freeDomain(base: string, taken: Set<string>): string {
  let domain = `${base}.example`;
  for (let count = 2; taken.has(domain); count += 1) domain = `${base}${count}.example`;
  taken.add(domain);
  return domain;
}

/** Picks `count` items without duplicates, in the order of `items`. */
function pickSome(items: readonly string[], count: number, random: Random): string[] {
  const chosen = new Set<string>();
  while (chosen.size < count) chosen.add(items[Math.floor(random() * items.length)] as string);
  return items.filter((item) => chosen.has(item));
}

const csv = (rows: readonly (readonly string[])[], lineBreak: string): string =>
  rows.map((row) => row.map(csvCell).join(',') + lineBreak).join('');

const cellsOf = (company: Company): string[] => SAMPLE_COLUMNS.map(({ field }) => company[field]);

/** Makes examples/prospects.csv: UTF-8, LF. */
export function makeProspectsCsv(count = 1000): string {
  const random = seededRandom(20_261_120);
  const domains = new Set<string>();
  const companies = Array.from({ length: count }, () => makeCompany(random, domains));
  const heading = SAMPLE_COLUMNS.map(({ label }) => label);
  return csv([heading, ...companies.map(cellsOf)], '\n');
}

/** Headers as in a Japanese Excel file: sales in millions with separators, years of eras. */
const EXCEL_LABELS: Partial<Record<SampleField, string>> = {
  amount_of_sales: '売上高（百万円）',
  company_url: 'ホームページ',
};

function asExcel(plain: Company, index: number): Company {
  const company = index < 2 * CP932_NAMES.length ? renamed(plain, index) : plain;
  const millions = Number(company.amount_of_sales) / MILLION;
  const year = Number(company.year_of_establishment);
  return {
    ...company,
    amount_of_sales: company.amount_of_sales === '' ? '非公開' : millions.toLocaleString('en-US'),
    year_of_establishment: year >= 1990 && year < 2019 ? `平成${year - 1988}年` : company.year_of_establishment,
  };
}

function renamed(company: Company, index: number): Company {
  const [name, reading] = CP932_NAMES[index % CP932_NAMES.length] ?? ['', ''];
  const [company_name, domain] =
    index < CP932_NAMES.length ? [name, `${reading}.example`] : [`${name} 第②工場`, `${reading}-2.example`];
  const moved = (text: string) => text.replace(/[\w-]+\.example/, domain);
  return {
    ...company,
    company_name,
    company_email: moved(company.company_email),
    company_url: moved(company.company_url),
    contact_url: moved(company.contact_url),
  };
}

/** Makes examples/prospects-cp932.csv: CP932, CRLF. */
export function makeCp932Csv(count = 50): Buffer {
  const random = seededRandom(932);
  const domains = new Set<string>();
  const companies = Array.from({ length: count }, (_, index) => asExcel(makeCompany(random, domains), index));
  const heading = SAMPLE_COLUMNS.map(({ field, label }) => EXCEL_LABELS[field] ?? label);
  const text = csv([heading, ...companies.map(cellsOf)], '\r\n');
  const bytes = iconv.encode(text, 'cp932');
  if (iconv.decode(bytes, 'cp932') !== text) throw new Error('a letter of the list is not in CP932');
  return bytes;
}

if (import.meta.main) {
  const folder = join(import.meta.dirname, '../examples');
  await writeFile(join(folder, 'prospects.csv'), makeProspectsCsv());
  await writeFile(join(folder, 'prospects-cp932.csv'), makeCp932Csv());
}
