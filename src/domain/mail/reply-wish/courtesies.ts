import {
  ADVERB,
  cut,
  DECLINED,
  DOCUMENT,
  ENDED,
  NOT_NEEDED,
  of,
  PARTICLE,
  SALES,
  STOP,
  type WordRow,
} from './pieces.ts';

/* Words that only look like an opt-out, and those of robots, each row with its reason. */

/** Sentences that offer an opt-out, or address other readers: the writer requests nothing. */
export const OFFERS: readonly WordRow[] = [
  {
    why: 'a footer names who may stop a newsletter, and how',
    words: of(
      `(?:不要|必要(?:の|が)?(?:ない|無い)|希望(?:され|し|なさら)?(?:ない|ません)|${STOP}(?:を|の)?(?:ご|お)?(?:希望|お?手続き?`,
      ')?(?:され|する|の)?)(?:な|の|に|と|で)?(?:場合|方|際|とき|時|お客様)(?!間|点|期|法|向|針|式)',
    ),
  },
  {
    why: 'a link or button of a footer',
    words: of(
      `(?:${STOP}|退会|登録変更|受信設定|配信設定)(?:の?(?:お?手続き?|方法|変更|設定))?(?:は|→|⇒|:|・変更は)(?:、)?(?:こちら|コチラ|下記|`,
      '以下|次の|https?|マイページ)',
    ),
  },
  { why: 'the same with the address of its page', words: of(`${STOP}.{0,40}https?:|https?:.{0,80}${STOP}$`) },
  {
    why: 'English footers',
    words: of(
      String.raw`(?:if you|should you|those who)\b.{0,40}(?:wish|want|prefer|like|receive|intended|`,
      String.raw`interested)|(?:^|\W)to (?:unsubscribe|opt[ -]?out|stop receiving|be removed|manage|update)`,
      String.raw`\b.{0,80}(?:click|visit|reply|go to|use|send|please|,|:|http)|click (?:here|below)|you(?:'re|`,
      ' are) receiving this|is a service (?:from|of)|(?:manage|update|change) (?:your ',
      ')?(?:e-?mail )?(?:subscriptions?|preferences|settings)|unsubscribe (?:here|at any time|link|',
      String.raw`\||from (?!(?:your|this|these|all|further|future|any|our|us)\b))|\| *unsubscribe|`,
      'unsubscribe *[|:<]|intended recipient|received this (?:e-?mail|message) in error',
    ),
  },
];

/** Words that only look like an opt-out. They are removed from their sentence. */
export const HARMLESS: readonly WordRow[] = [
  {
    why: 'ご遠慮なく invites',
    words: cut(
      '(?:ご|御)?遠慮(?:な|無)く|(?:ご|御)?遠慮(?:なさら|せ|し)?ず(?:に)?|(?:ご|御)?遠慮(?:は|には)?(?:及び|ご?無用|不要|いりません|要りません)',
    ),
  },
  {
    why: 'asks not to be stopped',
    words: cut(
      `(?:${STOP}|削除|除外|抹消|退会)(?:を)?(?:し|は|され|なさら|いただか|さ)?(?:ないで|ず(?:に|、)|なくて|なくとも|ないよう)|(?:${STOP}`,
      '|削除|退会)(?:は|を|の|する)?(?:希望|必要|つもり|予定|考え)(?:は|が|も|して)?(?:い|お)?(?:ない|な(?:く|し)|ません|りません|ありません|',
      `ございません)|(?:${STOP}|削除)は(?:不要|結構)|(?:お?止め|やめ|外さ|はずさ|断ら)ないで|${STOP}(?:を|の)?解除|${STOP}(?:に|が`,
      ')?なって(?:しま|い)',
    ),
  },
  {
    why: 'denies a refusal',
    words: cut(
      '(?:お断り|断る|断り|遠慮|辞退|拒否)(?:する|した|し|しなければならない|すべき|の)?(?:理由|つもり|わけ|訳|もの|意図|気)?',
      '(?:は|が|も|では|で)?(?:特に)?(?:ありません|ございません|ない)|ないわけで|なくはない|ないことは',
    ),
  },
  { why: 'the courtesy ご迷惑', words: cut('(?:ご|御)迷惑') },
  {
    why: 'where a mail was found, or a product against spam',
    words: cut(
      '迷惑メール(?:の)?(?:フォルダ|ボックス|に|扱い|判定|対策|フィルタ|と(?:して)?(?:判定|認識|誤))|スパム(?:フォルダ|フィルタ|対策|判定|に|扱い)|',
      '(?:spam|junk)(?: ?mail| ?e-?mail)? ?(?:folder|filter|box|filters)|from (?:my |the )?(?:spam|',
      String.raw`junk)|(?:in|to|into|as) (?:my |our |the )?(?:spam|junk)\b`,
    ),
  },
  {
    why: 'this time alone is declined',
    words: cut(
      '今回(?:の(?:ところ|ご?提案|件|お話|ご?案内))?(?:に?は|につきましては|に関しては|については)?、?.{0,16}?(?:見送|見合わせ|お?断り|ご?遠慮|',
      'ご?辞退)',
    ),
  },
  {
    why: 'calls and visits are declined, mails are not',
    words: cut(
      `(?:お?電話|訪問|ご?来社|飛び込み|テレアポ|面談|面会|fax|ファックス)(?:で|に(?:よる|て)|等|など|・|の|は|も){0,3}(?:${SALES}|ご?連絡|`,
      `ご?提案)?(?:の)?(?:電話|活動|行為)?${PARTICLE}${ADVERB}(?:${DECLINED}|${NOT_NEEDED}|${ENDED})`,
    ),
  },
  {
    why: 'a car, a camera, a copy',
    words: cut(
      '(?:駐車|喫煙|録音|録画|撮影|飲食|ご?来場|入室|転送|転載|無断|複製)[^、]{0,10}(?:ご?遠慮|お?控え|お?断り|禁止)',
    ),
  },
  {
    why: 'word of one matter need not be sent',
    words: cut(
      '(?:日程|変更|欠席|出席|出欠|到着|受領|確認|完了|折り返しの?|都度|事前|お?返事|ご?返信|ご?返答|ご?回答|入金|結果|当日|お礼|御礼|遅刻|お?電話|キャンセル)',
      `(?:の|に関する|時の|の際の|いただく)?(?:ご?連絡|メール|ご?案内|お?知らせ|必要)?${PARTICLE}${ADVERB}(?:${NOT_NEEDED}|結構|`,
      `${DECLINED})`,
    ),
  },
  {
    why: 'a document need not be sent',
    words: cut(
      `${DOCUMENT}(?:等|など)?(?:での|の|を|は|も|で)?(?:ご|お)?(?:郵送|送付|配送|発送|送信|送り|送ら|送って|持参|提出|準備|用意)`,
    ),
  },
  {
    why: 'a list of something else',
    words: cut(
      '(?:参加者|出席者|候補者?|商品|製品|課題|タスク|価格|部品|在庫|検討|メンバー)の?(?:リスト|一覧|名簿|対象)',
    ),
  },
  {
    why: 'English courtesies, and those who ask to stay',
    words: cut(
      `(?:do not|don't|never) (?:want to |need to |wish to )?(?:unsubscribe|remove (?:me|us)|`,
      'opt[ -]?out|take (?:me|us) off|hesitate)',
    ),
  },
];

/** A robot's statement that it is one. */
export const ROBOTS: readonly WordRow[] = [
  {
    why: 'this mail was sent automatically',
    words: of(
      '(?:この|本|当)(?:メール|返信|通知)(?:アドレス)?(?:は|につきましては)?.{0,24}(?:自動(?:的に|で|にて)?|送信専用)',
    ),
  },
  {
    why: 'an automatic answer, it says',
    words: of(
      '自動(?:返信|送信|配信|応答)(?:メール)?(?:です|により|にて|で(?:す|お送り|ご連絡)|され(?:て|た)|して(?:おり|い)ます|となって|となります)',
    ),
  },
  {
    why: 'nobody reads answers',
    words: of(
      '返信(?:を)?(?:いただ|頂)(?:い|き)?(?:て|まし)ても?.{0,20}(?:お答え|回答|ご?対応|お?返事|返答|確認)(?:する(?:こと)?)?(?:は|が',
      ')?(?:でき|出来|いたし?かね|致しかね|し(?:て)?(?:おり)?ません)|送信専用(?:の)?(?:メール|アドレス|です|で)',
    ),
  },
  {
    why: 'English',
    words: of(
      'this is an? (?:auto(?:mated|matic|-?generated)?) ?(?:e-?mail|message|response|reply|',
      `acknowledge?ment|notification)|automatically (?:generated|sent)|(?:do not|don't) (?:reply|`,
      'respond) (?:directly )?to this (?:e-?mail|message|address)|(?:mailbox|inbox|address|account)',
      ' is (?:not monitored|unmonitored|unattended)',
    ),
  },
];

/** Words that no robot writes: a person replied beside the notice of their ticket system. */
export const PERSONS: readonly WordRow[] = [
  {
    why: 'a wish or a question of their own',
    words: of(
      'ぜひ|是非|いかがでしょうか|興味(?:が|を)|お?話を(?:伺|聞|お聞)|(?:資料|見積)を.{0,8}(?:送|くだ|いただ|頂)|打ち?合わせ(?:を|の)|ご都合',
    ),
  },
  {
    why: 'English',
    words: of(
      String.raw`\b(?:i'm|i am|we're|we are) interested|let's (?:talk|meet)|could you (?:send|tell)|`,
      String.raw`please send (?:us|me)\b|sounds (?:good|great)`,
    ),
  },
];
