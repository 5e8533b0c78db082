/**
 * What servers say in bounces, in lower case and on one line.
 * Written from RFC 3463, RFC 5321 and the texts that carriers, providers and programs publish. All repetitions are
 * bounded, so that the time is linear.
 */

const anyOf = (...patterns: readonly RegExp[]): RegExp => new RegExp(patterns.map(({ source }) => source).join('|'));

/** The domains of mobile carriers: NTT docomo, KDDI (au, UQ mobile), SoftBank (Y!mobile), Rakuten Mobile. */
export const CARRIER = anyOf(
  /(?:^|\.)(?:docomo\.ne\.jp|ezweb\.ne\.jp|au\.com|uqmobile\.jp|rakumail\.jp)$/,
  /(?:^|\.)(?:softbank\.jp|softbank\.ne\.jp|vodafone\.ne\.jp|disney\.ne\.jp)$/,
  /(?:^|\.)(?:ymobile\.ne\.jp|yahoo\.ne\.jp|ymobile1\.ne\.jp|willcom\.com|pdx\.ne\.jp|emobile\.ne\.jp)$/,
);

export const UNKNOWN_USER = anyOf(
  /unknown (?:local )?(?:user|recipient|address|mailbox)|unknown local[ -]?part|no account by that name/,
  /(?:user|recipient|address|mailbox|account)(?: name)? (?:is )?(?:unknown|not known|not found|invalid|undeliverable)/,
  /no such (?:local )?(?:user|recipient|mailbox|address|person)|not a valid (?:user|recipient|mailbox|address)/,
  /no mailbox (?:here )?by that name|bad destination (?:mailbox|e-?mail) address|unrouteable address/,
  /invalid (?:recipient|mailbox|address|user)|recip(?:ient)?notfound|not listed in .{0,40}directory/,
  /user doesn't have an? .{0,40}account|is not a known user|wasn't found at|can't accept user/,
);

export const GONE = anyOf(
  /(?:does not|doesn't|did not|no longer) exist|no longer (?:valid|available|in use|with)/,
  /(?:account|mailbox|user|address) (?:has been |is |was )?(?:disabled|deactivated|deleted|closed|terminated)/,
  /(?:account|mailbox|user|address) (?:has been |is |was )?(?:discontinued|inactive|expired|suspended)/,
  /mailbox unavailable|accountdisabled/,
);

export const UNKNOWN_DOMAIN = anyOf(
  /nxdomain|null mx|does not accept mail/,
  /(?:domain|host)(?: name)? (?:not found|does not exist|unknown)|(?:unknown|no such) (?:domain|host)/,
);

export const UNKNOWN_JAPANESE = anyOf(
  /(?:宛先|ユーザー?|アドレス|メールボックス).{0,20}(?:存在しま|見つかりま|登録されていま|無効)/,
  /(?:不明な|存在しない)(?:宛先|ユーザー?|アドレス|ドメイン)/,
);

export const FULL = anyOf(
  /mail ?box.{0,40}(?:full|over ?quota|exceed)|too much mail data|stornotfound|out of storage/,
  /(?:over|exceed(?:s|ed|ing)?)(?: (?:the|its|their|your))?(?: (?:storage|disk|mailbox))? ?quota/,
  /quota (?:has been |is )?(?:exceed|full|reached)|(?:storage|disk) (?:is )?full|insufficient (?:system )?storage/,
  /メールボックス.{0,20}(?:いっぱい|一杯|容量)|容量.{0,10}(?:超え|超過|オーバー|不足)/,
);

/** About our domain, our host or blocklists. They hold even where the code blames the address. */
export const BLOCKED = anyOf(
  /\bdmarc\b|\bdkim\b|\bspf\b|block ?list|black ?list|spamhaus|spamcop|barracuda|\brbl\b|dnsbl/,
  /sender (?:id|verify)|unauthenticated|reverse (?:dns|lookup)|\bptr\b|reputation/,
);

export const UNWELCOME = anyOf(
  /\bspam\b|unsolicited|junk ?mail|virus|malware|phishing|access denied|迷惑メール|ブロックされ/,
  /(?:message|content|mail) (?:was |is |has been )?(?:rejected|refused|blocked|denied).{0,30}(?:polic|content|filter)/,
  /policy (?:violation|reason|restriction)|(?:against|violates) (?:our |the )?polic/,
);

/** The server refuses our envelope: its words name our domain, not the recipient's. */
export const REFUSED_SENDER = /in reply to mail from|sender address rejected|\b553 [a-z0-9.-]{1,255} does not exist/;

export const TOO_LARGE = anyOf(
  /(?:message|mail|content|size) (?:is |was )?(?:too (?:large|big)|exceed)/,
  /(?:exceeds|maximum) (?:the )?(?:fixed )?(?:maximum )?(?:message )?size|大きすぎ/,
);

export const LATER = anyOf(
  /try (?:it )?again later|temporar(?:y|ily)|timed? ?out|greylist|connection (?:refused|reset)/,
  /(?:delivery time|message|queue) expired|queue lifetime|too (?:old|long in the queue)/,
);

/** The reader's own settings refuse us. */
export const FILTERED = /because the recipient is only accepting|recipient (?:only accepts|has restricted)/;
export const FILTERED_JAPANESE = /受信(?:拒否|設定|制限)|ドメイン指定/;

/** KDDI leaves the address out where the reader's filter refuses. */
export const FILTERED_BY_KDDI = /\b550 ?: ?user unknown/;

/** Too many mails or connections from us. */
export const TOO_MANY = anyOf(
  /too many (?:mails?|messages|recipients|connections|sessions|concurrent|errors|invalid|attempts)/,
  /(?:rate|sending|hourly|daily|message|connection) (?:rate )?(?:limit|quota)|limits? (?:is |was |has been )?exceed/,
  /throttl|\brate[ -]?limit|上限/,
);

export const UNREACHABLE = anyOf(
  /connection (?:refused|reset|timed out)|connect to .{0,80}(?:refused|timed out)|no route to host|unreachable/,
  /(?:operation|conversation with .{0,80}) timed? ?out|lost connection|\b4\.4\.[12]\b|\b5\.4\.[12]\b/,
);

export const UNKNOWN_HOST = /host or domain name not found|name service error|\b[45]\.4\.3\b|name server/;

/** The domain of our mails does not prove who sent them. */
export const UNAUTHENTICATED = anyOf(
  /\bdmarc\b|\bdkim\b|\bspf\b|unauthenticated|sender (?:id|verify)|authentication (?:check|fail|result|required)/,
  /\b5\.7\.(?:2[0-9]|30|515)\b|not authenticated/,
);
