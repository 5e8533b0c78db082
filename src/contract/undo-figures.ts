import { z } from 'zod';

const left = (description: string) => z.int().meta({ description, examples: [0] });
export const undoCounts = z
  .object({
    removed: z.int().meta({ description: '外した会社の数です。', examples: [9400] }),
    archived: left('記録が残っているため、アーカイブした会社の数です。'),
    restored: z.int().meta({ description: '元の値に戻した会社の数です。', examples: [88] }),
    mailed: left('その後に送信した（送信を待つメールがある）ため残った会社の数です。'),
    reserved: left('予約があるため残った会社の数です。'),
    edited: left('その後に編集・取り込みされたため残った会社の数です（備考は、取り込んだものと違うとき）。'),
  })
  .meta({ schemaName: 'ImportUndo' });
export type UndoCounts = z.infer<typeof undoCounts>;
