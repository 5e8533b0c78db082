/** The words of example company names: written form, and reading, from which a domain is made. */

type Word = readonly [written: string, reading: string];

const list = (text: string): string[] => text.trim().split(/\s+/);

/** Parses `written:reading` pairs. */
const words = (text: string): Word[] =>
  list(text).map((word) => {
    const [written = '', reading = ''] = word.split(':');
    return [written, reading];
  });

export const STEMS: readonly Word[] = words(`
  さくら:sakura あおば:aoba ひまわり:himawari みらい:mirai つばさ:tsubasa ほまれ:homare 東和:towa 大栄:daiei
  共立:kyoritsu 丸福:marufuku 北星:hokusei 南海堂:nankaido 三崎:misaki 白鳥:shiratori 若葉:wakaba 銀杏:icho
  青嵐:seiran 千歳川:chitosegawa 富士見:fujimi 瑞穂野:mizuhono 旭日:kyokujitsu 光陽:koyo 新栄:shinei 信和:shinwa
  明倫:meirin 和泉屋:izumiya 桔梗:kikyo こだま:kodama すみれ:sumire アルバ:alba ノヴァ:nova ブルーリーフ:blueleaf
  リンクス:lynx グリーンフィールド:greenfield エルム:elm オリーブ:olive クレスト:crest サンライズ:sunrise
  トライアル:trial ハーモニー:harmony
`);

export interface Industry {
  readonly major: string;
  readonly suffixes: readonly Word[];
  readonly inner: readonly string[];
  /** Sales per employee in million yen. */
  readonly salesPerHead: readonly [low: number, high: number];
}

export const INDUSTRIES: readonly Industry[] = [
  {
    major: '製造業',
    suffixes: words('製作所:seisakusho 工業:kogyo 精機:seiki 化成:kasei 金属:kinzoku 食品:shokuhin'),
    inner: list('金属加工 精密機械部品 プラスチック成形 食料品 産業機械 電子部品 金型 自動車部品 包装資材'),
    salesPerHead: [12, 45],
  },
  {
    major: '建設業',
    suffixes: words('建設:kensetsu 組:gumi 設備:setsubi 電工:denko 工務店:komuten'),
    inner: list('総合工事 電気工事 管工事 内装工事 土木工事 リフォーム 外構工事'),
    salesPerHead: [20, 60],
  },
  {
    major: '情報通信業',
    suffixes: words('システム:system ソフト:soft テクノロジーズ:technologies ネットワーク:network デザイン:design'),
    inner: list('ソフトウェア開発 Webサイト制作 クラウドサービス ITインフラ データ分析 組込みソフトウェア ゲーム'),
    salesPerHead: [8, 25],
  },
  {
    major: '卸売業',
    suffixes: words('商事:shoji 物産:bussan 商会:shokai 通商:tsusho'),
    inner: list('食料品卸 建築材料卸 機械器具卸 医薬品卸 繊維品卸 輸入雑貨'),
    salesPerHead: [40, 120],
  },
  {
    major: '小売業',
    suffixes: words('商店:shoten ストア:store 書店:books 薬局:yakkyoku'),
    inner: list('食品スーパー ドラッグストア 衣料品 家電 EC・通信販売 書籍・文具 家具・インテリア'),
    salesPerHead: [15, 50],
  },
  {
    major: '運輸業',
    suffixes: words('運輸:unyu 物流:butsuryu 倉庫:soko 陸送:rikuso'),
    inner: list('一般貨物運送 倉庫 引越 宅配 3PL 冷蔵・冷凍輸送'),
    salesPerHead: [9, 20],
  },
  {
    major: '不動産業',
    suffixes: words('不動産:fudosan ハウジング:housing エステート:estate 地所:jisho'),
    inner: list('賃貸管理 売買仲介 土地開発 ビル管理 駐車場運営'),
    salesPerHead: [25, 90],
  },
  {
    major: '宿泊・飲食業',
    suffixes: words('フーズ:foods ホテル:hotel ダイニング:dining 旅館:ryokan'),
    inner: list('レストラン 居酒屋 カフェ ホテル 旅館 給食 弁当・惣菜'),
    salesPerHead: [5, 14],
  },
  {
    major: '医療・福祉',
    suffixes: words('ケアサービス:care メディカル:medical 福祉会館:fukushi'),
    inner: list('訪問介護 デイサービス 医療機器 保育 調剤 障害者支援'),
    salesPerHead: [5, 12],
  },
  {
    major: '専門サービス業',
    suffixes: words('コンサルティング:consulting 総研:soken アドバイザリー:advisory 印刷企画:kikaku'),
    inner: list('経営コンサルティング 広告代理 市場調査 人材紹介 研修 翻訳 設計'),
    salesPerHead: [9, 30],
  },
  {
    major: '教育・学習支援業',
    suffixes: words('アカデミー:academy 学習館:gakushukan スクール:school'),
    inner: list('学習塾 語学 資格取得 プログラミング教育 企業研修'),
    salesPerHead: [5, 12],
  },
];

/** A city and its towns, one line each. */
export const CITIES: readonly (readonly string[])[] = `
  東京都千代田区 神田錦町 岩本町 九段北
  東京都中央区 日本橋堀留町 新川 八丁堀
  東京都港区 芝 海岸 西新橋
  東京都新宿区 西新宿 四谷本塩町 高田馬場
  東京都渋谷区 千駄ヶ谷 恵比寿西 笹塚
  東京都大田区 蒲田本町 東糀谷 城南島
  東京都墨田区 横川 立川 東駒形
  東京都八王子市 明神町 石川町 南町
  神奈川県横浜市西区 平沼 北幸 戸部本町
  神奈川県川崎市川崎区 駅前本町 浅野町 日進町
  神奈川県相模原市中央区 相模原 田名 淵野辺本町
  埼玉県さいたま市大宮区 桜木町 宮町 大門町
  埼玉県川口市 本町 芝中田 並木
  千葉県千葉市中央区 富士見 新町 問屋町
  千葉県船橋市 本町 浜町 西浦
  茨城県つくば市 吾妻 竹園 東光台
  栃木県宇都宮市 大通り 平出工業団地 駅前通り
  群馬県高崎市 八島町 問屋町 栄町
  北海道札幌市中央区 北一条西 南二条東 大通西
  北海道旭川市 宮下通 永山二条 一条通
  青森県八戸市 三日町 河原木 小中野
  岩手県盛岡市 菜園 盛岡駅前通 中ノ橋通
  宮城県仙台市青葉区 一番町 本町 国分町
  山形県山形市 十日町 香澄町 七日町
  福島県郡山市 駅前 大町 富久山町
  新潟県新潟市中央区 東大通 万代 上大川前通
  富山県富山市 桜町 総曲輪 婦中町
  石川県金沢市 広岡 本町 武蔵町
  長野県松本市 中央 深志 島立
  静岡県浜松市中央区 板屋町 鍛冶町 高丘東
  静岡県静岡市葵区 紺屋町 呉服町 伝馬町
  愛知県名古屋市中区 錦 栄 丸の内
  愛知県豊田市 若宮町 元城町 西町
  岐阜県岐阜市 神田町 吉野町 柳津町
  三重県四日市市 諏訪町 浜田町 鵜の森
  京都府京都市下京区 四条通 烏丸町 中堂寺
  大阪府大阪市北区 堂島浜 天神橋 梅田
  大阪府大阪市中央区 本町 南船場 瓦町
  大阪府東大阪市 長田 高井田本通 荒本北
  大阪府堺市堺区 戎島町 南花田口町 大浜中町
  兵庫県神戸市中央区 三宮町 海岸通 磯上通
  兵庫県姫路市 駅前町 飾磨区 豆腐町
  奈良県奈良市 大宮町 三条町 芝辻町
  岡山県岡山市北区 本町 表町 駅元町
  広島県広島市中区 基町 八丁堀 大手町
  山口県下関市 竹崎町 細江町 豊前田町
  香川県高松市 寿町 番町 朝日町
  愛媛県松山市 三番町 大街道 千舟町
  福岡県福岡市博多区 博多駅前 中洲 上呉服町
  福岡県北九州市小倉北区 浅野 魚町 京町
  熊本県熊本市中央区 桜町 下通 水前寺
  鹿児島県鹿児島市 東千石町 中央町 山之口町
  沖縄県那覇市 久茂地 旭町 泉崎
`
  .trim()
  .split('\n')
  .map(list);

export const SURNAMES = list(`
  佐藤 鈴木 高橋 田中 伊藤 渡辺 山本 中村 小林 加藤 吉田 山田 佐々木 山口 松本 井上 木村 林 斎藤
  清水 山崎 森 池田 橋本 阿部 石川 前田 藤田 小川 岡田 後藤 長谷川
`);

export const GIVEN_NAMES = list(`
  健一 誠 博 茂 隆 浩二 和也 大輔 直樹 雄一郎 正樹 康平 秀明 翔太 美穂 由美子 恵 真理 香織 裕子 千晶
  陽子 拓海 修 哲也 章 洋介 克己
`);

/** Names with letters that CP932 has and the JIS standard lacks: a careless import breaks them. */
export const CP932_NAMES: readonly Word[] = words(
  '㈱髙﨑工業:takasaki-kogyo ㈲濵田商店:hamada-shoten ①番館企画㈱:ichibankan ㈱德永設備:tokunaga-setsubi 合同会社ｱｵｿﾞﾗ:aozora ㈱増井～まちづくり～:masui',
);
