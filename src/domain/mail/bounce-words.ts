/**
 * Patterns of servers' words in bounces, in lower case and on one line.
 * Written from RFC 3463, RFC 5321 and the published texts of carriers, providers and programs. All repetitions are
 * bounded, so that the time is linear.
 */

/** Joins patterns into one that matches any of them. */
export const anyOf = (...patterns: readonly RegExp[]): RegExp =>
  new RegExp(patterns.map(({ source }) => source).join('|'));

/** The domains of mobile carriers: NTT docomo, KDDI (au, UQ mobile), SoftBank (Y!mobile), Rakuten Mobile. */
export const CARRIER = anyOf(
  /(?:^|\.)(?:docomo\.ne\.jp|ezweb\.ne\.jp|au\.com|uqmobile\.jp|rakumail\.jp)$/,
  /(?:^|\.)(?:softbank\.jp|softbank\.ne\.jp|vodafone\.ne\.jp|disney\.ne\.jp)$/,
  /(?:^|\.)(?:ymobile\.ne\.jp|yahoo\.ne\.jp|ymobile1\.ne\.jp|willcom\.com|pdx\.ne\.jp|emobile\.ne\.jp)$/,
);

export const UNKNOWN_USER = anyOf(
  /unknown (?:local )?(?:user|recipient|address|mailbox)|unknown local[ -]?part|no account by that name/,
  /(?:user|recipient|address|mailbox|account)(?: name)? (?:is |was )?(?:unknown|not known|invalid|undeliverable)/,
  /(?:user|recipient|address|mailbox|account)(?: name)? (?:is |was )?(?:not found|not present|not here)/,
  /no such (?:local )?(?:user|recipient|mailbox|e-?mail|address|person|account)|userunknown|badrcptto/,
  /not a (?:valid|known|local) (?:user|recipient|mailbox|address)|is not a known user|can't accept user/,
  /no (?:such )?mailbox (?:here|found)|bad destination (?:mailbox|e-?mail) address|unrouteable address/,
  /(?:invalid|undeliverable|illegal) (?:recipient|mailbox|address|user|alias)|recip(?:ient)?notfound/,
  /not listed in .{0,40}directory|(?:user|address|recipient).{0,40} (?:could not|couldn't) be found/,
  /(?:user|recipient).{0,80} not found by smtp address lookup|wasn't found at|user doesn't have an? .{0,40}account/,
);

export const GONE = anyOf(
  /(?:does not|doesn't|did not|no longer) exist|no longer (?:valid|available|in use|with|employed|works|active)/,
  /(?:account|mailbox|user|address) (?:has been |is |was )?(?:disabled|deactivated|deleted|closed|terminated)/,
  /(?:account|mailbox|user|address) (?:has been |is |was )?(?:discontinued|inactive|expired|suspended)/,
  /mailbox unavailable|accountdisabled/,
);

export const UNKNOWN_DOMAIN = anyOf(
  /nxdomain|null ?mx|does not accept mail|dns domain .{0,80}does not exist|dns hard error/,
  /(?:domain|host)(?: name)? (?:not found|does not exist|unknown)|(?:unknown|no such) (?:domain|host)/,
);

/**
 * A name may be in between, as in Domino's 「ユーザー TANAKA は Domino ディレクトリには見つかりません」.
 * A mere possibility, as in 「存在しない可能性」, does not match.
 */
export const UNKNOWN_JAPANESE = anyOf(
  /(?:宛先|あて先|受信者|受取人|ユーザー?|アドレス|メールボックス|アカウント).{0,80}(?:存在しませ|見つかりませ)/,
  /(?:宛先|あて先|受信者|受取人|ユーザー?|アドレス|メールボックス).{0,80}(?:存在しない|見つからない)(?!か|可能|場合|おそれ|恐れ)/,
  /(?:宛先|あて先|受信者|受取人|ユーザー?|アドレス|メールボックス|アカウント).{0,80}(?:見つけられ|(?:登録|リスト)されて(?:いま|おりま)せ)/,
  // Domino looks a name up in its directory.
  /(?:宛先|あて先|受信者|受取人|ユーザー?|名前).{0,80}(?:ディレクトリー?|アドレス帳).{0,20}(?:一致しませ|該当しませ|(?:見当た|あ)りませ|ないため)/,
  /(?:ディレクトリー?|アドレス帳).{0,20}(?:該当する|一致する)?(?:ユーザー?|宛先|あて先|受信者|名前).{0,10}(?:いな[いか]|いませ|見当たりませ|ありませ)/,
  /(?:宛先|あて先|受信者|ユーザー?|アドレス|メールボックス|アカウント).{0,20}(?:無効(?!か|な可能|の可能|な場合|の場合)|[がに]ありませ|正しくありませ)/,
  /(?:アドレス|アカウント).{0,20}(?:使用され|使われ|利用され)て(?:いま|おりま)せ|ユーザー?は?(?:いま|おりま)せん/,
  /(?:ユーザー?|アドレス|アカウント).{0,20}(?:削除されま|削除されて|退職|解約|廃止)/,
  /(?:不明な|存在しない)(?:宛先|ユーザー?|アドレス|ドメイン)|(?:宛先|あて先|受信者|受取人|ユーザー?|アドレス)不明/,
);

export const FULL = anyOf(
  /mail ?box.{0,40}(?:full|over ?quota|exceed)|too much mail data|stornotfound|out of storage/,
  /(?:over|exceed(?:s|ed|ing)?)(?: (?:the|its|their|your))?(?: (?:storage|disk|mailbox))? ?quota/,
  /quota ?(?:has been |is )?(?:exceed|full|reached)|(?:storage|disk) (?:is )?full|insufficient (?:system )?storage/,
  /メールボックス.{0,20}(?:いっぱい|一杯|容量)|容量.{0,10}(?:超え|超過|オーバー|不足)/,
);

/** About our domain, our host or blocklists. These words take precedence over a code that blames the address. */
export const BLOCKED = anyOf(
  /\bdmarc\b|\bdkim\b|\bspf\b|block ?list|black ?list|deny ?list|spamhaus|spamcop|barracuda|\bsorbs\b|\brbl\b|dnsbl/,
  /unauthenticated|reverse (?:dns|lookup)|\bptr\b|reputation|ブラックリスト/,
);

/** A link to a list of refused hosts or domains, which is often all that a server writes. Other links are ignored. */
export const LINK_OF_BLOCKLIST = anyOf(
  /https?:\/\/[^\s<>"]{0,200}(?:spamhaus|spamcop|barracuda|sorbs|abuseat|uceprotect|senderscore|invaluement)/,
  /https?:\/\/[^\s<>"]{0,200}(?:mailspike|spamrats|surbl|uribl|dnsbl|block-?list|black-?list|ipcheck\.proofpoint)/,
  /https?:\/\/(?:[^\s<>"/]{1,200}\.)?rbl\.|https?:\/\/[^\s<>"]{0,200}(?:talosintelligence|unsolicited)/,
);

export const UNWELCOME = anyOf(
  /\bspam\b|unsolicited|junk ?mail|virus|malware|phishing|access denied|\bblocked\b|suspicious/,
  /(?:message|content|mail) (?:was |is |has been )?(?:rejected|refused|denied).{0,30}(?:polic|content|filter)/,
  /content (?:was |is |has been )?(?:rejected|refused|denied|not (?:allowed|accepted|permitted))/,
  /policy (?:violation|reason|restriction|rejection)|(?:against|violates) (?:our |the )?polic|for polic(?:y|ies)/,
  /relay(?:ing)? (?:access )?(?:denied|not (?:allowed|permitted))|unable to relay|迷惑メール|ブロックされ/,
);

/**
 * The server refuses our envelope: its words name our address, domain, host or account, or a callout. A server
 * addresses its client, so «your» means ours.
 */
export const REFUSED_SENDER = anyOf(
  /in reply to mail from|\bmail from\b.{0,80}(?:reject|refus|invalid|exist)|\b553 [a-z0-9.-]{1,255} does not exist/,
  /\bsender(?:'s)?(?: (?:e-?mail|address|domain|mailbox|host))?(?: (?:is|was|has been))? ?(?:reject|refus|denied|deny)/,
  /\bsender(?:'s)?(?: (?:e-?mail|address|domain|mailbox|host))?(?: (?:is|was))? ?(?:unknown|invalid)/,
  /\bsender(?:'s)?(?: (?:e-?mail|address|domain|mailbox|host))?(?: (?:is|was))? ?not (?:found|known|valid)/,
  /\bsender(?:'s)? (?:e-?mail|address|domain|mailbox|host)\b.{0,80}(?:do(?:es)? ?n[o']t|could ?n[o']t|can ?n?[o']t)/,
  /\bsender (?:id|verif)|call[ -]?(?:out|back) ver/,
  /verif(?:y|ied|ying|ication)(?: of| for)?(?: the| your)? ?(?:sender|return|envelope)/,
  /(?:unknown|invalid|bad|undeliverable|illegal|non-?existent) (?:sender|return[ -]path|envelope from)/,
  /(?:return[ -]path|envelope (?:from|sender)|from address)\b.{0,80}(?:does ?n[o']t|reject|invalid|not found)/,
  /\b(?:helo|ehlo)\b.{0,60}(?:reject|refus|invalid|match|not found|unknown)|(?:invalid|bad|unknown) (?:helo|ehlo)\b/,
  /\b(?:your|sending|sender|smtp) (?:e-?mail |mail |user )?(?:account|domain|host ?name)\b.{0,60}(?:suspend|disab)/,
  /\b(?:your|sending) (?:e-?mail |mail )?(?:domain|host ?name)\b.{0,60}(?:n[o']t exist|n[o']t be found|not found)/,
  /(?:find|resolve|look up|verify) your (?:host|domain|reverse|ip\b)/,
  /domain of sender|(?:送信元|送信者|差出人|発信元).{0,40}(?:拒否|存在しませ|見つかりませ|無効|認証|確認できませ|ブロック)/,
);

/** Our sending quota, whoever the recipient is. */
export const OUR_QUOTA = new RegExp(
  "(?:sending|submission|sender(?:'s)?|outgoing|outbound|daily user|daily message|relay) ?" +
    '(?:(?:sending|message|e-?mail|mail)s? )?(?:quota|limit)',
);

/** A missing or broken DNS answer, which does not prove that a domain is gone. */
export const BROKEN_DNS = anyOf(
  /malformed or unexpected name server reply|servfail|server failure|not found, try again/,
  /dns (?:query|lookup) (?:failed|failure)/,
  /(?:dns|domain|name) ?(?:server)?.{0,20}(?:time(?:d )?-?out|temporar|unreachable|soft error)|dnssec|temporary lookup/,
  /mx (?:records? )?points? to .{0,20}(?:non-?existent|invalid|local)|名前解決.{0,20}(?:失敗|でき)/,
);

/** A filter that accepts the next attempt. */
export const GREYLISTED = /gr[ea]y-?list|postgrey/;

export const TOO_LARGE = anyOf(
  /(?:message|mail|content|size) (?:is |was )?(?:too (?:large|big)|exceed)/,
  /(?:exceeds|maximum) (?:the )?(?:fixed )?(?:maximum )?(?:message )?size|size limit|大きすぎ/,
);

export const LATER = anyOf(
  /(?:try|retry|resend)(?: (?:it|your message|the message))? ?(?:again )?(?:later|at a later time)|temporar(?:y|ily)/,
  /timed? ?out|connection (?:refused|reset)|(?:delivery time|message|queue) expired|queue lifetime/,
  /too (?:old|long in the queue)|しばらく(?:して|たって|経って)から|一時的(?:に|な)|混み合って|時間を(?:おいて|置いて)/,
);

/** The reader's own settings refuse us. RST in Exchange's words is a restriction of the recipient. */
export const FILTERED = anyOf(
  /because the recipient is only accepting|recipient (?:only accepts|has restricted)/,
  /resolver\.rst\.(?:auth|notauth|sendernotauth|restricted|usernot|senderrestrict)|delivery restriction check failed/,
  /not (?:in|on) (?:the |its |their |the recipient's )?allow(?:ed)?[ -]?senders? list|sendernotinallowedsenderslist/,
  /permissions? to (?:send|e-?mail|post)(?: messages?| e-?mails?)? to (?:this|the) (?:recipient|group|list|mailbox)/,
  /only (?:accepts?|allows?) (?:e-?mails?|messages?|mails?) from (?:people|senders|members|users|subscribers)/,
);
export const FILTERED_JAPANESE = /受信(?:を?拒否|設定|制限)|ドメイン指定/;

/**
 * KDDI omits the address if the reader's filter refuses. Providers wrap the reply with colons and codes of their own.
 */
export const FILTERED_BY_KDDI = /\b550[- ]?(?:5\.\d\.\d{1,3})?[\s<>]{0,4}:[\s:<>]{0,8}user unknown/;

/** Too many mails or connections from us. */
export const TOO_MANY = anyOf(
  /too many (?:mails?|messages|recipients|connections|sessions|concurrent|errors|invalid|attempts)/,
  /(?:rate|sending|hourly|daily|message|connection) (?:rate )?(?:limit|quota)|limits? (?:is |was |has been )?exceed/,
  /throttl|\brate[ -]?limit|上限|at a rate (?:that|which|above)/,
  /(?:per|an) (?:hour|minute|day) .{0,40}(?:limit|exceed)/,
  /(?:receiv|sen[dt]|accept)\w{0,4} .{0,20}too (?:fast|quickly|often)/,
  /limit for (?:messages|mails) per (?:hour|minute|day)/,
);

export const UNREACHABLE = anyOf(
  /connection (?:refused|reset|timed out)|connect to .{0,80}(?:refused|timed out)|no route to host|unreachable/,
  /(?:operation|conversation with .{0,80}) timed? ?out|lost connection|\b4\.4\.[12]\b|\b5\.4\.[12]\b/,
);

export const UNKNOWN_HOST = /host or domain name not found|name service error|\b[45]\.4\.3\b|name server/;

/** Our mails fail the authentication of their domain. */
export const UNAUTHENTICATED = anyOf(
  /\bdmarc\b|\bdkim\b|\bspf\b|unauthenticated|sender id|authentication (?:check|fail|result|required)/,
  /\b5\.7\.(?:2[0-9]|30|515)\b|not authenticated/,
);
