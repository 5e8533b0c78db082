import { z } from 'zod';
import { text } from './wire.ts';

/** The longest value that a field is written with. Each field has a shorter limit of its own. */
export const MAX_WRITTEN = 2100;

/** A value as a person writes it; the server reads it as an import reads a cell. */
const written = (description: string, example: string) =>
  z
    .union([text(MAX_WRITTEN), z.number()])
    .nullable()
    .optional()
    .meta({ description, examples: [example], documentedAs: z.union([text(MAX_WRITTEN), z.number(), z.null()]) });

/** The fields of a company that is added or changed. */
export const companyInfo = {
  corporate_number: written('法人番号（13桁の数字）です。', '7000012050002'),
  company_name: written('会社名です（200文字まで）。', '株式会社みどり製作所'),
  company_email: written('代表メールです。', 'info@midori.example.jp'),
  ceo: written('代表者です（100文字まで）。', '代表取締役 緑川 花子'),
  major_industry_type: written('業種です。', '製造業'),
  included_industry_type: written('内部業種です。`、` で区切ります。', '金属加工、板金'),
  address: written('住所です（300文字まで）。', '東京都大田区蒲田1-2-3'),
  number_of_employees: written('従業員数です。', '48名'),
  amount_of_sales: written('売上高です。`1.2億` のようにも書けます。', '9.2億'),
  ordinary_profit: written('経常利益です。', '3,100万'),
  capital: written('資本金です。', '1000万円'),
  year_of_establishment: written('設立年です。', '1987'),
  company_url: written('会社URLです。', 'https://midori.example.jp/'),
  contact_url: written('問い合わせURLです。', 'https://midori.example.jp/contact'),
  phone: written('電話番号です（100文字まで）。', '03-0000-0000'),
  published_at_url: written('公開元URL（代表メールが公開されているページ）です。', 'https://midori.example.jp/company'),
  published_seen_on: written('公開元を確認した日です。', '2026/11/20'),
  publication_notice: written(
    '公開元に営業メールをお断りする表示があれば `○`（`refused`）、なければ `×`（`none`）です。',
    '○',
  ),
};
export const COMPANY_FIELDS = Object.keys(companyInfo) as (keyof typeof companyInfo)[];
export type CompanyField = (typeof COMPANY_FIELDS)[number];
