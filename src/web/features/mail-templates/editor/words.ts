import { count } from '#web/lib/phrases.ts';

/** The texts of the template editor. */
export const TEMPLATE_MESSAGES = {
  title: 'テンプレートの編集',
  back: 'テンプレートの一覧',
  notFound: 'テンプレートが見つかりません。テンプレートの一覧から開き直してください。',
  name: 'テンプレート名',
  nameHelp: '見分けるための名前です。メールには入りません。',
  subject: '件名',
  subjectOf: (group: string, person: string) => `件名（${group}・${person}）`,
  profiles: '使う差出人',
  profile: (person: string, more: string | null, state: string) => {
    const notes = [more ?? '', state].filter((note) => note !== '');
    return person + notes.map((note) => `（${note}）`).join('');
  },
  states: { confirmed: '', waiting: '確認待ち', notAsked: '未確認' },
  profileHint: ({ group, email }: { readonly group: string; readonly email: string }) => `${group}・${email}`,
  otherProfiles: (others: number) => `ほか${others.toLocaleString('ja-JP')}人を表示`,
  allProfiles: (all: number) => `${all.toLocaleString('ja-JP')}人から選ぶ`,
  noProfileHelp: '差出人がまだ登録されていません。',
  addProfile: '差出人を追加',
  chooseProfileHelp: '差出人を選んで保存すると、このテンプレートで送れます。',
  senderOf: (group: string, person: string) => `${group}・${person}`,
  takeSubject: 'この件名を使う',
  takeSubjectOf: (group: string, person: string) => `${group}・${person}にこの件名を使う`,
  ownSubject: '別の件名にする',
  ownSubjectOf: (group: string, person: string) => `${group}・${person}を別の件名にする`,
  bodies: '本文の編集方法',
  modes: { rich: 'かんたん', html: 'HTML', text: 'テキスト' },
  html: '本文（HTML）',
  text: '本文（テキスト）',
  htmlHelp: '任意です。空にすると、テキストだけのメールになります。',
  textHelp: 'HTMLを表示しないメールソフトのための本文です。HTMLと同じ内容にしてください。',
  htmlOfRichHelp: '「かんたん」で作られたHTMLです。ここで変更すると、テキスト版は自動で作られなくなります。',
  followingHelp: '「かんたん」の内容から、自動で作られています。',
  ownText: 'テキスト版を自分で編集',
  followText: 'テキスト版を自動で作る',
  faulty: '（誤りあり）',
  toLine: (line: number) => `${line}行目を表示`,
  insert: '差し込み',
  fieldGroups: { company: '会社', sender: '差出人', own: '自社', dates: '候補日', legal: '法定表示' },
  fieldNames: {
    person_in_charge: '宛名（様付き）',
    candidate_dates: '候補日',
  },
  saved: 'テンプレートを保存しました',
  savedBy: (at: string, by: string | null) => `最終更新 ${at}${by === null ? '' : ` ${by}`}`,
  unsaved: '保存していない変更があります',
  discard: '変更を破棄',
  reservedHelp: (reservations: number) =>
    `予約${count(reservations)}で使われています。変更は予約にも反映されます。すでに受け付けた送信は変わりません。`,
  archivedHelp: 'アーカイブされています。使うには、テンプレートの一覧で元に戻してください。',
  more: 'その他の操作',
  send: 'このテンプレートで送る',
  testSend: '自分にテスト送信',
  testSent: (to: string) => `テスト送信しました（${to}）`,
  testSentUnlawful: (to: string, fault: string) =>
    `テスト送信しました（${to}）。このままでは、実際の送信と予約はできません：${fault}`,
  history: '履歴',
  whenUsed: 'いつから反映されますか',
  inUse:
    '保存した内容は、次の送信から使われます。予約には、送信が始まるときの内容が使われます。すでに受け付けた送信は変わりません。',
  unusable:
    '保存されている内容では送信できません。送信と予約は断られ、予約済みのメールも送られません。示された箇所を直して、保存してください。',
  discarding: { title: '変更の破棄', question: '保存していない変更を破棄しますか？', discard: '破棄' },
  conflict: {
    title: 'ほかの画面で、このテンプレートが変更されました',
    titleBy: (by: string, at: string) => `${by}さんが${at}に保存しました`,
    difference: '差分を見る',
    help: '入力した内容は残っています。最新の内容を読み込むと、入力した内容は失われます。',
    load: '最新の内容を読み込む',
    overwrite: '入力した内容で上書き',
  },
  preview: {
    title: 'プレビュー',
    sender: '差出人',
    options: '表示の設定',
    sampleCompany: '株式会社みどり製作所',
    person: '緑川 花子',
    noPerson: '担当者がいない会社で見る',
    dates: '候補日を入れる',
    company: '会社',
    sample: '見本の会社（株式会社みどり製作所）',
    find: '会社名・メールで探す',
    findFailed: '会社を読み込めませんでした',
    notFound: '会社が見つかりません',
    width: '表示する幅',
    desktop: 'パソコン',
    phone: 'スマートフォン',
    dark: '暗い背景で見る',
    outdated: 'テンプレートに誤りがあるため、プレビューは直前の内容です',
    faulty: 'テンプレートに誤りがあるため、プレビューを表示できません',
  },
  leaving: { question: '変更を破棄して移動しますか？', leave: '破棄して移動' },
  asksForReplyHelp:
    '本文に「配信停止」との返信をお願いする行があります。返信では受け付けないので、その行を消してください。' +
    '配信停止の案内は、法定表示と一緒に自動で末尾に入ります。',
  sendGridFooter: {
    label: 'SendGridのテンプレートに法定表示の項目が入っていることを確認しました',
    help:
      'SendGridで送るメールの本文は、ここでは確かめられません。SendGridのテンプレートのHTMLに {{{legal_footer_html}}}、' +
      'テキストに {{{legal_footer}}} を入れてください。確認するまで、実際の送信と予約はできません。',
    saved: '保存しました',
  },
} as const;

/** The texts of the simple editor. */
export const RICH_MESSAGES = {
  label: '本文（かんたん）',
  help: 'テキスト版は、この内容から自動で作られます。',
  ownTextHelp: 'テキスト版は自分で編集しています。テキストのタブで変更できます。',
  toolbar: '文字の書式',
  bold: '太字',
  bulletList: '箇条書き',
  orderedList: '番号付きリスト',
  link: 'リンク',
  dates: '候補日を入れるときだけ、メールに入ります',
  linkForm: {
    words: '表示する言葉',
    wordsHelp: '空なら、リンク先をそのまま表示します。',
    target: 'リンク先',
    targetHelp: '入力例：https://www.example.co.jp/',
    fault: 'http:// か https://、mailto:、tel: から入力してください',
    set: '設定',
    remove: 'リンクを外す',
  },
  imagesLeftOut: (images: number) => `画像${images.toLocaleString('ja-JP')}点は貼り付けられませんでした`,
  tablesAsLines: '表は、1行ずつの文章として貼り付けました',
} as const;

/** The texts of the dialog before a template loses content. */
export const CONVERSION_MESSAGES = {
  title: { rich: '「かんたん」への切り替え', text: 'テキスト版の作り直し' },
  question: {
    rich: '「かんたん」にすると、次の書式は失われます。切り替えますか？',
    text: '自分で編集したテキスト版を、「かんたん」の内容から作り直しますか？',
  },
  consequence: '保存するまでは、「変更を破棄」で元に戻せます。',
  stay: { rich: 'このまま編集', text: '今のテキスト版を残す' },
  go: { rich: '切り替える', text: '作り直す' },
  losses: {
    image: '画像',
    table: '表（文字は残ります）',
    heading: '見出し（太字になります）',
    rule: '区切り線（「─」の行になります）',
    look: '文字の色・大きさ・飾りと配置',
    comment: 'HTMLのコメント',
    list: '条件によって変わるリスト（段落になります）',
    numbers: '番号付きリストの番号（1から数え直します）',
    link: '開けないリンク（文字は残ります）',
    other: 'そのほかのタグ（文字は残ります）',
    text: 'テキスト版（この内容から作り直します）',
    textOnly: 'テキストだけのメール（HTMLのメールになります）',
  },
} as const;

/** The texts of the versions of a template. */
export const VERSION_MESSAGES = {
  title: 'テンプレートの履歴',
  help: '保存のたびに残ります。比べる版を選んでください。',
  current: '現在の内容',
  unsaved: '編集中の内容',
  version: (number: number) => `第${number.toLocaleString('ja-JP')}版`,
  savedBy: (at: string, by: string | null) => `${at}${by === null ? '' : ` ${by}`}`,
  difference: '変更点',
  compared: (older: string, newer: string) => `${older} → ${newer}`,
  same: '変更点はありません',
  added: '追加',
  removed: '削除',
  parts: { name: 'テンプレート名', subject: '件名', text_body: '本文（テキスト）', html_body: '本文（HTML）' },
  restore: 'この版に戻す',
  restoreHelp: '編集中の内容があります。保存するか破棄してから、戻してください。',
  restored: (number: number) => `第${number.toLocaleString('ja-JP')}版の内容に戻しました`,
  tooLong: '長すぎるため、比べられません',
} as const;
