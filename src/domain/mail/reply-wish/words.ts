import {
  ADVERB,
  ASKED,
  ASKING,
  DECLINED,
  DO_NOT_SEND,
  DOCUMENT,
  ENDED,
  FROM_NOW,
  LIST,
  MAIL,
  NEED_NOT_SEND,
  NEVER_SEND,
  NO_MORE,
  NOT_NEEDED,
  OURS,
  of,
  PARTICLE,
  REMOVE,
  SALES,
  SENDING_IT,
  STOP,
  THESE,
  type WordRow,
} from './pieces.ts';

/*
 * The words by which a reply asks for no more mails, each row with its reason. By 特定電子メール法, article 3(3), any words
 * that express this wish count.
 */

/** Sentences in which the writer asks for no more mails. */
export const REFUSALS: readonly WordRow[] = [
  {
    why: '配信停止 and its kin, asked for',
    words: of(
      `(?:配信|送信|送付|メール|メルマガ|購読|営業|勧誘|連絡|案内|dm|セールス)${PARTICLE}(?:の)?${ADVERB}${STOP}${ASKING}`,
    ),
  },
  {
    why: '登録解除, 退会, 受信拒否, asked for',
    words: of(
      `(?:登録(?:を|の)?(?:解除|抹消|削除)|退会|オプトアウト|受信(?:を|の)?(?:拒否|停止))(?:${ASKING}|(?:し|いた|致|させて)(?:ます|しま|`,
      'いただ|頂))',
    ),
  },
  { why: '配信不要', words: of(`(?:配信|送信)${PARTICLE}${ADVERB}(?:${NOT_NEEDED}|${DECLINED}|(?<!で)結構)`) },
  { why: '送らないで', words: of(DO_NOT_SEND) },
  { why: '送るな, also in dialect', words: of(NEVER_SEND) },
  {
    why: '配信されないよう, of this kind, where others only arrive twice',
    words: of('(?:送信|送付|配信)されないよう(?:に)?、?(?:お願|願)'),
    beside: of(`${FROM_NOW}|${THESE}|${SALES}`),
  },
  {
    why: '送らなくて結構です, of mails',
    words: of(NEED_NOT_SEND),
    beside: of(`${FROM_NOW}|${THESE}|${SALES}|メール|案内|配信`),
  },
  {
    why: 'no more of this kind, or from now on',
    words: of(`(?:${FROM_NOW}(?:は|も|の|とも|、){0,2}|${THESE}).{0,14}?${MAIL}${PARTICLE}${ADVERB}${NO_MORE}`),
  },
  {
    why: 'nothing at all from now on',
    words: of(
      `(?:今後|以後|二度と|金輪際)(?:は|も)?、?(?:一切|もう)?、?(?:${NOT_NEEDED}|お?断|ご?遠慮|お?控え|ご?辞退)`,
    ),
  },
  {
    why: '営業メールはお断り',
    words: of(
      `${SALES}(?:活動|行為)?(?:の|目的の|目的での|関係の|に関する)?(?:${MAIL})?${PARTICLE}${ADVERB}(?:${DECLINED}|${NOT_NEEDED}`,
      '|(?<!で|にて)結構)',
    ),
  },
  {
    why: 'mails are declined',
    words: of(
      `(?:メール|dm|送信|送付|配信)(?:の(?:送信|送付|配信|受信))?${PARTICLE}${ADVERB}(?:お断り|お断わり|ご?遠慮(?:くだ|下さ|願|いただ|`,
      '頂)|お?控え(?:くだ|下さ|願|いただ|頂)|差し控え|拒否(?:し|いた|致))',
    ),
  },
  {
    why: 'mails are to end',
    words: of(`(?:${MAIL}|${SENDING_IT})${PARTICLE}${ADVERB}${ENDED}(?:て|に(?:し|な)|くだ|下さ|いただ|頂|願|ろ)`),
  },
  {
    why: '送るのは控えて, of this kind',
    words: of(`${SENDING_IT}${PARTICLE}${ADVERB}(?:お?控え|ご?遠慮)(?:て|を)?、?(?:くだ|下さ|願|お願|いただ|頂)`),
    beside: of(`${FROM_NOW}|${THESE}|${SALES}`),
  },
  {
    why: 'this one is to be the last',
    words: of(
      `${MAIL}${PARTICLE}(?:これ|今回|本日|本メール)(?:で|を|きり)?(?:最後|終わり|おしまい)に(?:して(?:くだ|下さ|いただ|頂|ほし|もら)|願|お願)`,
    ),
  },
  {
    why: 'mails are not wanted',
    words: of(
      `(?:${MAIL}|受信|受け取り)${PARTICLE}${ADVERB}(?:希望|望(?:み|んで)|ほし|欲し)(?:は)?(?:いた|致)?(?:し|く|て)?(?:は)?(?:い|お|して`,
      '(?:い|お))?(?:ない|ません|りません|ありません)|(?:メール|案内|dm|連絡)(?:は|を)?.{0,8}受け取りたく(?:は)?(?:ない|あり)',
    ),
  },
  { why: 'off the list', words: of(`${LIST}(?:から|より)(?:は|も)?、?${OURS}${REMOVE}${ASKED}`) },
  {
    why: 'the address is to be deleted',
    words: of(
      '(?:メールアドレス|アドレス|(?:個人|弊社の?|当社の?|当方の?|私の?)情報|登録情報)(?:を|の)(?:、)?(?:リスト|名簿|データベース|db|登録|配信先|宛先',
      `)?(?:から|より)?(?:早急に|至急|すぐに|完全に|直ちに)?(?:ご|お)?${REMOVE}${ASKED}`,
    ),
  },
];

/** Words that may be an opt-out, or may only decline an offer: a member decides. */
export const DOUBTS: readonly WordRow[] = [
  { why: 'mails are not needed: all, or those of one matter?', words: of(`${MAIL}${PARTICLE}${ADVERB}${NO_MORE}`) },
  { why: 'something from now on is not needed, beside a document', words: of(`${FROM_NOW}.{0,12}◦.{0,6}${NO_MORE}`) },
  {
    why: 'no need, and nothing said of what',
    alone: true,
    words: of(
      `^(?:もう|特に|現在|今は|現状|せっかくですが|すみませんが|いいえ|${ADVERB}|、)(?:は|、)?(?:${NOT_NEEDED}|結構|間に合って|`,
      `${REMOVE}|${STOP})(?:です|でございます|して(?:くだ|下さ|いただ|頂).{0,12}|(?:を)?お?願.{0,6}|(?:を)?希望.{0,6}|おります|`,
      'います)?$',
    ),
  },
  {
    why: 'declines what was offered',
    words: of(
      '(?:興味|関心|ニーズ|必要性)(?:は|が|も)?(?:特に|全く|まったく|一切)?(?:を)?(?:ない|無い|なく|なし|ありません|ございません|感じ(?:ません|ない|',
      'られ))|間に合って(?:い|お)',
    ),
  },
  {
    why: 'needs nothing of what was offered, unless it is a document',
    words: of(`(?<!${DOCUMENT}(?:は|を|も|が)?)必要として(?:い|お)(?:ない|ません|りません)`),
  },
  {
    why: 'a right of 個人情報保護法, article 35',
    words: of(
      `(?:情報|データ|アドレス)(?:の|を)?(?:利用|使用|第三者提供)(?:の|を)?${STOP}${ASKING}(?!.{0,6}(?:場合|方))`,
    ),
  },
  {
    why: 'may ask for the last mail',
    words: of('今回限り(?:に|と)(?:して|させて)(?:くだ|下さ|いただ|頂)'),
    beside: of(MAIL),
  },
  { why: 'is not to arrive', words: of('(?:二度と|もう)(?:メールが|メールは)?来ない(?:よう|で(?:くだ|下さ|ほし))') },
  { why: 'need not send, and nothing said of what', words: of(NEED_NOT_SEND) },
  {
    why: 'a refusal of something',
    words: of(
      `お断(?:り|わり)|断らせ|遠慮(?:させて|しま|いたし|致し|して|願|くだ|下さ|いただ|頂)|辞退|${ENDED}て(?:くだ|下さ|いただ|頂|ほし|もら)|お?控え`,
      '(?:て)?(?:くだ|下さ|願)|拒否(?:し|いた)',
    ),
  },
  {
    why: 'the word of a refusal, in some other sense',
    words: of(
      `配信(?:を|の|は)?${STOP}(?!率|中|数|件|時間)|登録解除|購読解除|退会(?:を?希望|したい|させて|手続)|オプトアウト|受信拒否`,
    ),
  },
  { why: 'off some list', words: of(`(?:リスト|宛先|名簿|cc|一覧|対象).{0,3}から.{0,15}${REMOVE}`) },
  {
    why: 'a complaint',
    words: of(
      '迷惑(?:です|だ|して|な|メール|行為)|スパム|通報|特定電子メール法|法的(?:措置|手段)|しつこ|ブロック(?:し|いた|させ)',
    ),
  },
  {
    why: 'asks whence the address is',
    words: of(
      '(?:登録|問い?合わせ|依頼|許可|同意|申し?込|承諾).{0,12}(?:覚え|記憶)(?:は|が|も)?(?:全く)?(?:な|あり?ま|ござ)|アドレス.{0,10}',
      '(?:どこ(?:で|から)|どうやって|どのように)|どこ(?:で|から).{0,12}アドレス',
    ),
  },
];

/** Words that make an opt-out doubtful: it is temporary, concerns something else, or asks how. */
export const SOFTENERS: readonly WordRow[] = [
  {
    why: 'for a time',
    words: of(
      'しばらく|当面|当分|連休|年末|年始|夏季|休暇|期間中|(?:日|月|時)まで(?!に)|来(?:週|月|期|年)|時間外|夜間|土日|繁忙期|まだ.{0,12}ない(?:で|',
      'よう)',
    ),
  },
  {
    why: 'to somebody else',
    words: of('先方|他社|お客様(?:に|へ)|退職|異動|後任|アドレス(?:が|を)?変更|新しいアドレス|担当(?:が|者が)?変わ'),
  },
  {
    why: 'to the writer, not to the address before',
    words: of(
      '(?:私|弊社|こちら|当方|さん|様|宛|部)(?:宛)?(?:に|へ|まで)、?(?:ご|お)?(?:送って|送り|送付|送信|連絡)(?:して)?(?:ください|下さい)(?!ませ[んぬ])',
    ),
  },
  {
    why: 'asks how, or speaks of a product',
    words: of(
      '方法|手順|やり方|どうすれば|どうしたら|どのように|できますか|可能(?:です|でしょう)か|機能|ボタン|システム',
    ),
  },
  { why: 'a document', words: of(`${DOCUMENT}.{0,6}(?:送|不要|結構)`) },
];
