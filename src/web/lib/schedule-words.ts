/** What the reservation time and the candidate dates of an attack list say, under the rules of WORDS (words.ts). */
export const SCHEDULE_WORDS = {
  reservationMode: '予約モード',
  sendAt: '予約日時',
  time: '時刻',
  candidateDates: '候補日を入れる',
  candidate: (number: number) => `候補日${number}`,
  candidateRow: (candidate: string) => `${candidate}の日時`,
  candidateOver: '候補日は予約日時より後にしてください',
  start: '開始時刻',
  end: '終了時刻',
  addCandidate: '候補日を追加',
  remove: '削除',
  removeCandidate: (candidate: string) => `${candidate}を削除`,
  full: 'これより後の候補日は追加できません',
  month: (month: string) => `${Number(month.slice(0, 4))}年${Number(month.slice(5))}月`,
} as const;
