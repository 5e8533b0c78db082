/**
 * Invented companies on reserved domains (RFC 2606). One has no person in charge, so that a preview shows it.
 * Name | mailbox | person in charge | industry | kinds of business | address | employees | sales in million yen
 */
const ROWS = `
株式会社みどり製作所 | info@midori | 緑川 花子 | 製造業 | 金属加工、産業機械 | 東京都大田区架空1-2-3 | 48 | 650
株式会社青空商事 | contact@aozora | 青木 空 | 卸売業 | 食品、日用品 | 大阪府大阪市中央区架空2-4 | 120 | 3200
ひだまり運輸株式会社 | office@hidamari | 日向 誠 | 運輸業 | 一般貨物 | 愛知県名古屋市港区架空5-1 | 85 | 1100
株式会社星野システム | info@hoshino | 星野 亮 | 情報通信業 | ソフトウェア開発 | 東京都渋谷区架空3-7-1 | 32 | 480
さくら工務店有限会社 | info@sakura | 佐倉 健 | 建設業 | 内装工事、リフォーム | 神奈川県横浜市西区架空8 | 14 | 210
株式会社月見フーズ | sales@tsukimi |  | 宿泊・飲食業 | レストラン、カフェ | 京都府京都市下京区架空4-9 | 60 | 540
みなと薬局株式会社 | office@minato | 港 由美 | 小売業 | 調剤薬局 | 兵庫県神戸市中央区架空6-2 | 26 | 380
株式会社あさひ学習社 | info@asahi | 朝日 学 | 教育・学習支援業 | 企業研修 | 福岡県福岡市博多区架空7-3 | 18 | 160
北国不動産株式会社 | contact@kitaguni | 北 一郎 | 不動産業 | 賃貸管理、売買仲介 | 北海道札幌市中央区架空9-5 | 40 | 900
合同会社風待ちデザイン | hello@kazemachi | 風間 凪 | 専門サービス業 | 広告、デザイン | 宮城県仙台市青葉区架空2-8 | 6 | 70
`;

/** The sample companies as a person would type them. */
export const SAMPLE_ROWS = ROWS.trim()
  .split('\n')
  .map((row) => {
    const [name, mailbox = '', ceo, major, included, address, employees, sales] = row.split(' | ');
    const domain = `${mailbox.slice(mailbox.indexOf('@') + 1)}-mihon.example`;
    return {
      company_name: `${name}（見本）`,
      company_email: `${mailbox}-mihon.example`,
      ceo,
      major_industry_type: major,
      included_industry_type: included,
      address,
      number_of_employees: employees,
      amount_of_sales: `${sales}000000`,
      company_url: `https://www.${domain}/`,
    };
  });
