import { of, type WordRow } from './pieces.ts';

/* The English rows of words.ts. */

/** Sentences in which the writer asks for no more mails. */
export const ENGLISH_REFUSALS: readonly WordRow[] = [
  {
    why: 'unsubscribe, as all one says',
    alone: true,
    words: of(
      '^(?:(?:please|kindly|pls),? )?(?:unsubscribe|stop|opt[- ]?out|remove|cancel subscription)',
      '(?:,? (?:please|thanks?|thank you))?$',
    ),
  },
  {
    why: 'unsubscribe me',
    words: of(
      '(?:please|kindly|pls|want|wish|like|need|have|asked|request) (?:to )?(?:be ',
      String.raw`)?(?:unsubscribed?|opt(?:ed)?[ -]?out)\b|unsubscribe (?:me|us|my|our|this (?:e-?mail|address`,
      String.raw`|account))\b|opt (?:me|us) out`,
    ),
  },
  {
    why: 'off the list',
    words: of(
      '(?:remove|delete|take|drop|exclude|erase|removing|deleting|taking|get) (?:me|us|my|our|this|',
      String.raw`the following)(?: [\w@.'-]{1,60}){0,4} (?:from|off)(?: of)? (?:your|this|the|all|any)`,
      String.raw`(?: [\w-]{1,30}){0,4}? ?(?:lists?|databases?|mailings?|mails?|e-?mails?|records?|crm|`,
      String.raw`contacts?|systems?|newsletters?)\b|(?:please|ensure|make sure|want|like|ask|request)`,
      String.raw`\b.{0,40} (?:removed|deleted|excluded|taken) (?:from|off)(?: [\w-]{1,30}){0,4} (?:lists?|`,
      String.raw`databases?|mailings?|records?)\b`,
    ),
  },
  {
    why: 'stop sending',
    words: of(
      String.raw`\b(?:stop|cease|quit|discontinue) (?:all )?(?:sending|e-?mailing|mailing|contacting|`,
      String.raw`messaging|spamming|writing|soliciting|bothering|e-?mails?|mails?|further|contact)\b|`,
      String.raw`\b(?:stop|cease|end|discontinue) (?:all |any )?(?:further )?(?:communications?\b|(?:your|these|`,
      String.raw`those|such) (?:sales |marketing )?(?:e-?mails?|mails?|mailings?|messages?|newsletters?)\b)|`,
      '(?:refrain|desist|abstain) from (?:any |all |further )?(?:sending|e-?mailing|mailing|contact',
      '|messaging|soliciting)',
    ),
  },
  {
    why: 'do not contact us',
    words: of(
      `(?:^|[^a-z] |please |kindly |and |so |, )(?:do not|don't|never)(?: ever)? (?:contact|e-?mail`,
      '|mail|write|message|spam|solicit|write to)(?: (?:me|us|this address|our company|anyone here)',
      ')?(?= (?:again|any ?more|any longer|any further|further|in (?:the )?future|about|with|from)',
      String.raw`\b| *[,;:)]| *$)`,
    ),
  },
  {
    why: 'do not send any more',
    words: of(
      `(?:do not|don't|never)(?: ever)? send (?:(?:me|us) )?(?:any|more|further|such|these|those|`,
      String.raw`this kind|unsolicited|marketing|sales|promotional|anything|e-?mails?|mails?)\b|no (?:more|`,
      'further) (?:e-?mails?|mails?|messages?|contact|communications?|correspondence|',
      String.raw`solicitations?|newsletters?)\b`,
    ),
  },
  {
    why: 'does not want mails: whoever did not receive one misses it',
    words: of(
      `(?:(?:no longer|(?:do|does|would|did)(?: not|n't)) (?:wish|want|need|care|like)|rather not|prefer not)`,
      String.raw`(?: to)? (?:receive\b(?! (?:any |more |sales |phone |cold ){0,3}(?:calls?|visits?)\b)|`,
      '(?:get|getting) (?:(?:any|more|further|your|these|those|such|sales|marketing) ){0,3}(?:e-?mails?|mails?|',
      'messages?|mailings?|newsletters?|spam)|be contacted|be e-?mailed|hear from you)|',
      `(?:no longer|(?:do|does)(?: not|n't)) (?:accept|welcome) (?:any )?(?:unsolicited|sales|marketing|promotional)|`,
      `(?:do|does)(?: not|n't) (?:want|need) (?:any `,
      '(?:more|further)|your|these|such) (?:e-?mails?|mails?|messages?|newsletters?)|(?:never|not|',
      `n't) (?:want|wish) to hear from|leave (?:me|us) alone|cease and desist`,
    ),
  },
];

/** Words that may be an opt-out, or may only decline an offer. */
export const ENGLISH_DOUBTS: readonly WordRow[] = [
  {
    why: 'the word of a refusal, in some other sense',
    words: of(
      String.raw`\bunsubscrib|\bopt(?:ing|ed)?[ -]?out\b|(?:remove|delete) (?:me|us|my|our)\b|take (?:me|us)`,
      ' off|no need to (?:e-?mail|contact|send)',
    ),
  },
  {
    why: 'declines, or complains',
    words: of(
      String.raw`\b(?:not|no longer) interested|\bno interest|\bno,? thanks?\b|\bno thank you|\bunsolicited|`,
      String.raw`\bspam|\bjunk mail|\bharass|can-?spam act|how did you (?:get|find|obtain) (?:my|our)|`,
      '(?:block|report)(?:ed|ing)? (?:you|your|this)',
    ),
  },
  {
    why: 'a refusal in polite or short words',
    words: of(
      `(?:didn't|did not|wouldn't|would not) (?:e-?mail|contact|write|message|send)\\b.{0,30} (?:again|any ?more)`,
      String.raw`|(?:make|let) this (?:be )?(?:your|the) last (?:e-?mail|mail|message)\b|`,
      String.raw`want off (?:this|your|the|all|of)\b`,
    ),
  },
  {
    why: 'stop, and nothing said of what',
    words: of('^(?:please,? )?stop (?:it|this|that)(?: now)?(?:,? please)?$'),
  },
];

/** Words that make an opt-out doubtful. */
export const ENGLISH_SOFTENERS: readonly WordRow[] = [
  {
    why: 'for a time, of something printed, or how to',
    words: of(
      String.raw`\b(?:until|for now|at the moment|how (?:do|can|to|would)|feature|paper|hard cop|brochures?|`,
      String.raw`invoices?|samples?|catalogu?es?|by post)\b`,
    ),
  },
  {
    why: 'to another address',
    words: of(
      String.raw`\binstead\b|\b(?:old|new|wrong) (?:e-?mail )?address\b|`,
      `(?:and|but|,) (?:please )?(?:contact|write to|use|e-?mail) [^ @]{1,64}@`,
    ),
  },
];
