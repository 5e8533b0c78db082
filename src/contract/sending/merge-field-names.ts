/** What people read of the merge fields whose names say nothing to them. Templates and previews show these. */
export const MERGE_FIELD_NAMES = {
  company_name: '会社名',
  'person.name': '相手の人の氏名',
  'person.department': '相手の人の部署',
  'person.title': '相手の人の役職',
  'sender.person_in_charge': '差出人名',
  'sender.email': '差出人のメールアドレス',
  'sender.signature': '差出人の署名',
  'account.name': '自分の氏名',
  'account.company': '自社名',
  legal_footer: '法定表示（配信停止の案内）',
  unsubscribe_url: '配信停止のURL',
  'legal.official_name': '法定表示の正式名称',
  'legal.postal_address': '法定表示の住所',
  'legal.contact': '法定表示の連絡先',
} as const;
