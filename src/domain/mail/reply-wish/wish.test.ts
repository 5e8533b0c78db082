import { describe, expect, test } from 'vitest';
import { readWish } from './wish.ts';

/* Answers stand between ｜; ⏎ breaks the line within one. */
const answers = (lines: string): string[] =>
  lines
    .trim()
    .split(/[\n｜]/)
    .map((line) => line.trim().replaceAll('⏎', '\n'));

const wishOf = (text: string) => readWish(text, 'Re: ご挨拶').wish;

const LINK = `https://mail.example.jp/u/${'0'.repeat(32)}`;
const OUR_FOOTER = `今後このようなご案内が不要な場合は、次のURLから配信を停止（受信を拒否）できます。\n${LINK}`;

const REFUSALS = answers(`
  配信停止 ｜ お世話になっております。⏎配信停止をお願いします。 ｜ 配信 停止 希望 ｜ 配信を停止してください ｜ 配信不要です。 ｜ 配信の停止をお願いします。 ｜ 配信は不要です。 ｜ メール配信の解除を希望します
  このような営業メールは送信しないでください ｜ お世話になっております。お手数をおかけしますが、弊社あてのご案内の配信停⏎止をお願いします。 ｜ このようなメールは送らないでください。 ｜ 今後のご案内は不要です
  今後は、お断りいたします。 ｜ 今後このようなメールはご遠慮ください ｜ Please UNSUBSCRIBE me. ｜ ＵＮＳＵＢＳＣＲＩＢＥ ｜ 今後このようなご連絡は不要です。 ｜ 配信停止を希望します。
  営業メールはお断りしております。 ｜ リストから削除してください。 ｜ 今後このようなメールは送付しないでください。 ｜ 送付先リストから外していただけますでしょうか。 ｜ 二度と送ってこないでください。
  Please remove me from your mailing list. ｜ 今後は送らないでください。 ｜ 貴社からのメールは今後一切送らないようお願いいたします。
  せっかくのご案内ですが、弊社では必要としておりませんので、⏎今後のメール配信を停止していただけますようお願いいたします。 ｜ 恐れ入りますが、弊社への営業目的のメールはご遠慮いただいております。
  メールアドレスをリストから抹消願います。 ｜ 当方のアドレスを貴社のデータベースから消去してください ｜ アドレスの削除をお願いいたします。 ｜ 配信先から除外してください ｜ メルマガの購読を解除したいです。
  もう連絡しないでください ｜ 勧誘メールお断り ｜ セールスお断りです ｜ DM不要 ｜ 今後のメール送付につきましてはご遠慮いただきたく存じます。 ｜ 営業のご連絡は一切お受けしておりません。
  営業のメールは受け付けておりません。 ｜ 迷惑ですので送信をやめてください。 ｜ メールの送信を止めてください。 ｜ 今後一切の連絡をお断りします。 ｜ 今後ご連絡いただく必要はございません。 ｜ このようなメールは必要ありません
  こういったご案内はもう結構です ｜ 弊社宛のメール送信は今後お控えください。 ｜ ご案内メールの配信を中止願います ｜ 登録を解除してください。 ｜ 退会希望 ｜ 送らないで下さい ｜ メールの受信を拒否します。
  ダイレクトメールの送付は希望しておりません。 ｜ 先日も配信停止をお願いしましたが、まだ届いております。 ｜ 配信リストより削除をお願い致します。 ｜ 弊社の情報を名簿から削除してください。
  今後、営業のメールは送ってこなくて結構です。 ｜ もうメールは送らないでほしい ｜ メール配信を希望しません ｜ お忙しいところ恐縮ですが、今後の営業連絡はご辞退させていただきます。 ｜ 無断で営業メールを送らないでください
  配信停止でお願いします。 ｜ 以後のご案内は無用に願います。 ｜ 宛先から弊社アドレスを削除願います。 ｜ 本メールアドレスへの送信を停止してください。 ｜ 今後のご連絡はご遠慮願います。 ｜ 次回以降の配信は不要です。
  Stop emailing me. ｜ Please stop sending us these emails. ｜ Do not contact me again. ｜ Please take us off your list.
  We do not wish to receive any further emails. ｜ Kindly delete our address from your database.
  No more emails please. ｜ unsubscribe ｜ STOP ｜ I no longer wish to receive your newsletter.
  Please do not send any more mails to this address. ｜ I would like to unsubscribe from this list.
  Don't email us again. ｜ Please opt me out. ｜ Remove us from all future mailings. ｜ Leave us alone.
  Please don’t send me these messages. ｜ 今後弊社への営業メールは一切不要です。 ｜ 営業メールの配信停止をお願い致します ｜ 大変恐縮ですが、今後の配信はご遠慮させていただきたく存じます。
  弊社では不要なため、メールの配信を止めていただけますでしょうか。 ｜ 今後このような一方的なメールは送らないようにしてください。 ｜ 送信リストから弊社を除外していただきたくお願いいたします。
  当社のメールアドレスを配信リストから外してください。 ｜ このメールアドレスを送信先から削除してください。 ｜ メールアドレスを削除してください。 ｜ 以後、送信しないようお願いいたします。
  貴社からのご案内は今後不要ですので、停止してください。 ｜ 今後は一切連絡をしてこないでください。 ｜ 勝手にメールを送らないでください。 ｜ 二度とメールしないでください。 ｜ 営業活動のメールはお控えいただけますと幸いです。
  弊社へのセールスメールはご遠慮ください。 ｜ 売り込みのメールはお断りしています。 ｜ お手数ですが配信解除の手続きをお願いいたします。 ｜ メール不要です。今後送らないで下さい。 ｜ メルマガ配信を停止してほしいです
  配信停止を希望致します ｜ 配信停止お願いします ｜ メール配信停止希望です。 ｜ 今後の営業はお断りします ｜ 今後、貴社からのメール配信を希望しません。 ｜ このアドレスにはもう送らないでください。
  今後このようなDMはお送りいただかないようお願いします。 ｜ 名簿から消してください。 ｜ 広告メールの送信をやめてください ｜ 迷惑メールを送らないでください ｜ 特定電子メール法に基づき、送信の停止を求めます。
  受信を希望しませんので、送信を停止してください。 ｜ 弊社は営業メールを受け付けておりません。 ｜ 営業目的のご連絡は固くお断りいたします。 ｜ 次回以降メールは不要です。 ｜ 以降のメールは送信不要です。
  今後のお知らせは結構です。 ｜ これ以上メールを送ってこないでください。 ｜ 配信先リストから削除願います。 ｜ 購読を解除してください。 ｜ メーリングリストからの削除をお願いします。 ｜ 送信先からの除外をお願いいたします。
  こちらのアドレスは配信対象から外してください。 ｜ お送りいただいたメールですが、今後は送付不要でございます。 ｜ もう送ってこなくていいです。 ｜ 今後お送りいただかなくて結構です。 ｜ メールでの営業はお断りしております。
  弊社は一切の営業メールをお断りしています。 ｜ 今後のご提案はご遠慮いただければと思います。 ｜ 連絡先から削除してください。
  Please remove this email address from your database. ｜ Remove my address from all of your lists please.
  Please stop mailing us. ｜ We'd like to opt out of these emails. ｜ Don't send me any more of this.
  Please do not email us anymore. ｜ Please cease all further contact. ｜ Take me off this mailing list immediately.
  I don't want to receive these emails. ｜ Unsubscribe me from your newsletter. ｜ kindly unsubscribe
  Please discontinue sending these messages. ｜ We do not accept unsolicited sales emails.
  Please refrain from contacting us in the future. ｜ Do not contact this address.
  Please delete my email from your system. ｜ I never want to hear from you again.
  Please ensure we are removed from your mailing list. ｜ No further emails, please.
  弊社ではこの手の営業メールは全てお断りしておりますので、今後はご遠慮願います。 ｜ 大変申し訳ございませんが、今後メールでのご案内はお控えいただけますでしょうか。 ｜ このメールアドレス宛のメール配信を停止して頂けませんでしょうか。
  メーリングリストから外してください。 ｜ お世話になります。配信リストから外して頂きたくお願いします。 ｜ 以後、このような営業メールを送信されませんようお願いします。 ｜ 今後お送りいただく必要はございません。
  貴社からのメールは不要です。 ｜ 御社の営業メールは不要です。 ｜ 営業メールは一切不要です。配信を止めて下さい。 ｜ メールマガジンの配信を停止願います。 ｜ 配信を希望しておりません。 ｜ 今後の送付を停止してください。
  送付停止をお願いします。 ｜ メールを送るのをやめてください。 ｜ 送信リストより削除をお願い致します ｜ 弊社のメールアドレスを削除していただけますか。 ｜ 弊社アドレスを貴社の配信先リストから削除願います。
  登録を抹消してください。 ｜ 今後は営業のご連絡をご遠慮いただけますと幸いです。 ｜ 弊社代表アドレスへの営業メールは固くお断り申し上げます。 ｜ このような迷惑メールは二度と送らないでください。
  今後一切メールを送らないでいただきたい。 ｜ もう送ってこないでください。 ｜ メールでの営業活動はお控えください。 ｜ 今後はメールをいただかなくて結構です。 ｜ セールス目的のメールはお断りします。
  今後の情報提供は不要です。 ｜ 当社宛の送信はご遠慮ください。 ｜ 広告メールの配信を拒否します。 ｜ 特定電子メールの受信を拒否します。 ｜ 配信の対象から除外願います。 ｜ 今後、弊社への連絡は一切しないでください。
  配信解除してください。 ｜ 解除をお願いします。メルマガは不要です。 ｜ メールの配信を中止していただきますようお願い申し上げます。 ｜ 今後メールは送っていただかなくて大丈夫です。 ｜ Please unsubscribe.
  Remove us from your list. ｜ Please take me off your mailing list. ｜ Please do not contact us in the future.
  Stop sending me emails. ｜ I do not wish to be contacted again. ｜ We don't want any more emails from you.
  Please stop. ｜ Delete my address from your list. ｜ Please don't email this address again.
  Do not send me marketing emails. ｜ remove me from this list
  送ってくるな ｜ もう送るな。 ｜ メール送んな ｜ 連絡するな ｜ 営業メールするな ｜ 二度とメールよこすな！ ｜ もう送らんといてください ｜ 今後のメール配信を希望いたしません。 ｜ ご連絡は希望致しませんので、悪しからずご了承ください。
  メールでのご案内はこれで最後にしてください。 ｜ これ以上メールを送りつけるのはやめてください。 ｜ お送りいただくのをやめていただきたいです。 ｜ 今後こういったメールを配信されないようお願いします。
  今後はお送りいただきませんよう、お願い申し上げます。 ｜ 以後、メール等のご送付はなさいませぬようお願い申し上げます。 ｜ 以後このようなご連絡はなきようお願いします。 ｜ 送信はご無用に願います。 ｜ 営業メールには対応いたしかねます。 ｜ 代表アドレスに営業メールを送るのは控えてください。
  Please cease all communication with our office. ｜ Could you please stop these emails? ｜ Stop your emails. ｜ Please end these mailings.
  We would prefer not to be contacted. ｜ I'd rather not receive any more messages.
  These are mails that I do not want to receive. ｜ I don't want to get your emails.`);

const OTHERS = answers(`
  資料をお送りください。 ｜ 今後ともよろしくお願いいたします。 ｜ 今後ともよろしくお願いいたします。見積書の郵送までは必要ございませんので、押印は不要です。 ｜ 今後ともよろしくお願いいたします⏎押印は不要です
  配信について知りたいのですが、⏎停止中の機能はありますか ｜ ご連絡ありがとうございます。ぜひ一度お話を伺いたいです。⏎今後ともご遠慮なくご連絡ください。 ｜ ご提案に興味があります。今後の打ち合わせに印刷した資料は不要です。
  資料を送付してください。 ｜ 配信停止しないでください。 ｜ 停止の必要はありません。 ｜ お断りする理由はありません。 ｜ ご遠慮なさらずお申し付けください。 ｜ 遠慮せずにお電話ください。
  迷惑メールフォルダに入っていました。ぜひお話を伺いたいです。 ｜ ご迷惑でなければ、来週お電話ください。 ｜ お電話での営業はお断りしております。メールでお願いします。 ｜ 日程変更のご連絡は不要です。 ｜ ご返信は不要です。
  お返事は結構です。 ｜ 契約書の郵送は不要です。 ｜ 今後のご連絡は田中宛にお願いします。 ｜ 今後のご連絡はメールで結構です。 ｜ その日程で結構です。 ｜ 駐車はご遠慮ください。 ｜ 今回は見送らせていただきます。
  今回のご提案はお断りさせていただきます。 ｜ 参加者リストから削除してください。 ｜ セミナーの参加をキャンセルしてください。 ｜ 営業担当者の同席は不要です。 ｜ 今後の広告運用についてご相談したいです。
  お見積りをお願いします。今後の進め方を教えてください。 ｜ 会員登録は不要ですか？ ｜ 担当の佐藤に転送しました。追ってご連絡いたします。 ｜ 添付ファイルが開けませんでした。再送してください。
  送信先のアドレスは合っていますか。 ｜ 電話は控えてください、打ち合わせ中です。 ｜ 弊社は営業の人手が不足しております。ご提案をお待ちしています。 ｜ リストの作成をお願いできますか。 ｜ 在庫の一覧から削除してください。
  お断りしたわけではございません。 ｜ ご連絡をお待ちしております。 ｜ 詳しい資料を送っていただけますか。 ｜ システムの停止時間を教えてください。 ｜ メールありがとうございます。前向きに検討いたします。
  興味がないわけではありません。 ｜ Please do not hesitate to contact me. ｜ Feel free to email us again.
  Your mail was in my spam folder. Please send us details. ｜ Please do not send the contract yet, I will call you.
  Could you remove the second item from the quote? ｜ Thanks, please send me more information.
  If you wish to unsubscribe, click here: https://x.example/u ｜ We did not contact you before, please call us.
  Please don't remove me from your list! ｜ Let's talk next week. I do not want to miss it.
  If you are not the intended recipient, please delete this message. ｜ Stop by our office next week.
  ご丁寧にありがとうございます。検討のうえ、改めてご連絡いたします。 ｜ 資料拝見しました。価格表も送付いただけますか。 ｜ 一度オンラインでお話を聞かせてください。 ｜ お打ち合わせの際、名刺は不要です。
  当日の手土産は不要です。お気遣いなく。 ｜ ご不明点がございましたらご遠慮なくお申し付けください。 ｜ 何かございましたら、遠慮なくご連絡下さい。 ｜ 担当者は来週まで不在です。戻り次第ご連絡いたします。
  添付の契約書を確認しました。修正は不要です。 ｜ サーバーの停止時間を短くしたいのですが、ご提案いただけますか。 ｜ 配信システムの導入を検討しています。 ｜ メール配信サービスについて詳しく教えてください。
  御社の配信停止率はどの程度ですか。 ｜ 営業リストの作成を依頼したいです。 ｜ リストから候補を3社に絞りました。 ｜ お電話は不要です、メールでお願いいたします。 ｜ FAXでのご送付は不要です。メールでお送りください。
  今後の打ち合わせはオンラインでお願いします。 ｜ 今後のスケジュールについてご連絡ください。 ｜ 今後とも何卒よろしくお願い申し上げます。 ｜ 来月以降であればお時間をいただけます。 ｜ 請求書は紙での送付は不要です。
  お見積書の送付をお願いいたします。 ｜ 初期費用は不要でしょうか。 ｜ 会員登録が必要ですか。 ｜ 先方の担当が変わりましたので、佐藤宛にお送りください。 ｜ CCに部長を入れてください。
  メールが届いていないようです。再送をお願いします。 ｜ もう一度資料を送ってください。 ｜ もう少し詳しいご案内をいただけますか。 ｜ 契約の解除についての条項を教えてください。 ｜ 解約時の違約金はかかりますか。
  導入後の保守を終了する場合の手続きを教えてください。 ｜ 展示会のご案内ありがとうございます。参加いたします。 ｜ 返信が遅くなり申し訳ありません。ぜひ進めてください。 ｜ 社内の決裁が必要なため、少々お待ちください。
  今回は予算の都合で見送りますが、来期またご案内ください。 ｜ その条件で結構ですので、進めてください。 ｜ はい、大丈夫です。 ｜ 了解しました。 ｜ 弊社の営業時間は9時から18時です。 ｜ 営業部の佐藤におつなぎします。
  ご提案の内容で社内稟議を上げます。 ｜ お手数ですが、添付を外して再送いただけますか。 ｜ 駐車場はございませんので、お車でのご来社はご遠慮ください。 ｜ アンケートの回答を送信しました。
  個人情報の取り扱いについて教えてください。 ｜ お取引のある会社様でしょうか。 ｜ 昨日の件、承知いたしました。 ｜ サンプルは返送不要です。 ｜ Thank you, that works for us.
  We are interested. When can we meet? ｜ Please send the invoice to our accounting department.
  Don't worry about the delay. ｜ I will not be available until Monday. ｜ Could you stop by on Tuesday?
  Please remove the second line from the contract. ｜ We no longer use that system, so your timing is perfect.
  No problem, please go ahead. ｜ Please do not reply to the old address, use this one.
  Let us know the price per user. ｜ We don't have a budget this year, please contact us in April.
  There is no need to print the slides. ｜ I look forward to receiving your emails.
  Do not forget to attach the price list. ｜ Looking forward to hearing from you. ｜ お断りしなければならない理由は特にありません。ぜひお願いします。
  ご遠慮なくどうぞ。 ｜ どうぞご遠慮なく、いつでもご連絡ください。 ｜ 今後とも、ご遠慮なくお声がけください。 ｜ お気軽にご連絡ください。今後ともよろしくお願いします。 ｜ 今後の会議に名刺は不要です。
  資料は郵送していただかなくて結構です。PDFで十分です。 ｜ 紙のカタログは不要です。メールで送ってください。 ｜ 次回の打ち合わせの議事録は不要です。 ｜ 今後の流れをご連絡いただけますか。 ｜ 今後のご連絡先は下記のとおりです。
  メールの件、承知しました。 ｜ メール配信の御社サービスに興味があります。料金を教えてください。 ｜ 配信停止率の改善について相談したいです。 ｜ リスト作成の費用を教えてください。 ｜ 削除したデータの復旧はできますか。
  アカウントの解除手続きは御社でしていただけますか。 ｜ 今後のお打ち合わせについて、来週ご都合いかがですか。 ｜ ご送付いただいた資料を拝見しました。 ｜ 不要な項目がありましたら教えてください。
  お手数ですが、不要でしたら破棄してください。 ｜ 押印は不要でしょうか。 ｜ ご返信不要です。 ｜ 返信には及びません。 ｜ お返事は不要です。 ｜ お見積りの必要はありません、概算で結構です。
  お電話はご遠慮ください。メールでお願いします。 ｜ 飛び込み営業はお断りしていますが、メールでのご提案は歓迎です。 ｜ 営業のお電話はお断りしておりますが、資料は拝見します。 ｜ 訪問は控えてください。オンラインなら可能です。
  返信が遅れ、ご迷惑をおかけしました。 ｜ 担当者が退職しましたので、後任の佐藤にお送りください。 ｜ No need to apologize. ｜ Please stop by our booth.
  Don't hesitate to send more information. ｜ We would like to receive more information.
  Please remove the attachment and send again. ｜ Do not worry. ｜ Happy to hear from you again.
  ありがとうございます。検討します。⏎⏎このメッセージは機密情報を含む場合があります。誤って受信された場合は削除してください。 ｜ 了解です。⏎⏎配信停止をご希望の方はこちら⏎https://x.example/stop
  ぜひお願いします。⏎⏎※本メールの配信停止はこちらから
  Sounds good.⏎⏎To unsubscribe from this group and stop receiving emails from it, send an email to x+unsubscribe@googlegroups.com.
  Thanks!⏎⏎You received this message because you are subscribed to the Google Groups "x" group.
  Great, thanks.⏎⏎CONFIDENTIALITY: If you received this in error, please delete it and do not contact the recipient.
  I did not get your attachment. Could you send it again? ｜ We did not receive your email with the quote. Please resend. ｜ We no longer receive your newsletter, please check.
  We don't receive many emails like this one. I'd love to hear more. ｜ We do not need to get approval for this. ｜ We don't want to get this wrong, let's meet.
  We don't want to receive phone calls, please e-mail us. ｜ メールで送るなら添付は2点にしてください。 ｜ 資料を送るなどのご対応をお願いします。 ｜ ご連絡はこれを最後に、担当を鈴木に引き継ぎます。
  ご連絡漏れなきようお願いします。 ｜ 遠慮はご無用です。 ｜ 連絡するなと言われていた前任の件は解決しました。 ｜ この値引きは今回限りとさせていただきます。 ｜ 添付の資料が送られませんでした。再送をお願いします。 ｜ ご案内が配信されませんでした。
  ご連絡いただきませんでしたので、こちらからご連絡します。 ｜ 先日はご連絡いただきませんようでしたが、お変わりありませんか。 ｜ 期限までに送るな、と社内で話していましたが解決しました。 ｜ メールが配信されないようなのですが、ご確認ください。 ｜ 紙の資料は必要としておりません。メールでお送りください。`);

const DOUBTFUL = answers(`
  結構です。 ｜ 必要ありません。 ｜ 興味がありません。 ｜ 間に合っております。 ｜ ご案内は不要です。 ｜ 配信停止の方法を教えてください。 ｜ しばらくご連絡は不要です。 ｜ 連休中のメールはお控えください。
  Not interested. ｜ How do I unsubscribe? ｜ 迷惑です。 ｜ どこでこのアドレスを知りましたか。 ｜ ご提案は結構です。 ｜ 登録した覚えがありません。 ｜ お断りします。 ｜ 不要です。
  削除してください。 ｜ 遠慮させていただきます。 ｜ 宛先から佐藤を外してください。 ｜ 今後、資料の送付は不要です。 ｜ やめてください。 ｜ This is spam. ｜ No thanks.
  No need to contact us. ｜ ご連絡いただかなくて結構です。 ｜ 特定電子メール法に違反していませんか。 ｜ 株式会社緑⏎佐藤⏎不要です ｜ ご連絡には及びません、当日お待ちしております。
  I can't unsubscribe from this meeting series. ｜ OK.⏎⏎Unsubscribe
  前の担当者に送るのはやめて、私に送ってください。ぜひ検討したいです。 ｜ Please stop sending mails to my colleague and send them to me instead.
  弊社では現在必要としておりません。 ｜ 個人情報の利用停止を求めます。 ｜ Stop it. ｜ ご案内を頂戴するのは今回限りとさせてください。 ｜ 二度と来ないようにして。
  We'd appreciate it if you didn't email us again. ｜ Please make this your last email. ｜ Please remove this address from your records and contact sales@client.example. ｜ I want off this list.`);

test.each(REFUSALS)('%j asks for no more mails', (text) => {
  expect(wishOf(text)).toBe('refusal');
});

test.each(OTHERS)('%j does not', (text) => {
  expect(wishOf(text)).toBe('none');
});

test.each(DOUBTFUL)('%j is for a member to decide', (text) => {
  expect(wishOf(text)).toBe('doubtful');
});

describe('where it stands', () => {
  test.each([
    ['the footer of our mail', `ありがとうございます。\n${OUR_FOOTER}`, 'none'],
    ['its link', `配信停止はこちら: ${LINK}`, 'none'],
    ['above our mail without marks', `配信停止してください。\n\nお世話になっております。\n${OUR_FOOTER}`, 'doubtful'],
    ['a quotation', '> 配信停止してください\n\nはい、資料をお願いします。', 'none'],
    ['below a quotation', '> ご案内です。\n\n配信停止してください。', 'refusal'],
    ['between the lines of one', 'a:\n> ご案内\n今後は不要です。\n> よろしく', 'refusal'],
    [
      'below the line that begins one',
      '2026年11月26日(木) 10:00 佐藤 <a@x.example>:\n> ご案内\n\n送らないでください。',
      'refusal',
    ],
    [
      'that line without marks after it',
      'はい。\n\n2026年11月26日(木) 10:00 佐藤 <a@x.example>:\n送らないでください。',
      'none',
    ],
    [
      'the mail below its header',
      '承知しました。\n\n-----Original Message-----\nFrom: a\n配信停止してください',
      'none',
    ],
    [
      'a newsletter in the signature',
      'ぜひお願いします。\n\n--\n佐藤\nメルマガの配信停止はこちら https://x.jp/stop',
      'none',
    ],
    [
      'the same below a rule',
      'ぜひお願いします。\n━━━━━━\n株式会社緑\n配信停止をご希望の方は https://x.jp/stop\n━━━━━━',
      'none',
    ],
    [
      'a notice in the signature',
      'ぜひお話を伺いたいです。\n\n-- \n株式会社緑\n※営業メールはお断りしております',
      'doubtful',
    ],
    ['below a rule that begins no signature', 'ご回答\n──────────\n配信停止を希望します。', 'refusal'],
    [
      'the footer of a ticket system',
      'Please send a quote.\n\nA service from Midori. | Unsubscribe from ticket updates',
      'none',
    ],
    ['a link, or all that is said below a name', '株式会社緑\n佐藤\nUnsubscribe', 'doubtful'],
    ['the first line, above a name', 'unsubscribe\n\n佐藤', 'refusal'],
  ] as const)('%s', (_, text, wish) => {
    expect(wishOf(text)).toBe(wish);
  });

  test.each([
    ['配信停止希望', 'refusal'],
    ['RE：配信停止のお知らせ', 'none'],
    ['配信停止のお知らせ', 'doubtful'],
    ['お問い合わせ', 'none'],
  ])('the subject %j alone: %s', (subject, wish) => {
    expect(readWish('', subject).wish).toBe(wish);
  });
});

describe('a robot without a header of robots', () => {
  test.each(
    answers(`
      このたびはお問い合わせいただき、誠にありがとうございます。⏎3営業日以内にご連絡いたします。⏎⏎※本メールはシステムより自動で送信しております。本メールに返信いただいてもお答えできません。
      お問い合わせありがとうございます。⏎このメールは自動返信です。
      ※このメールは自動的に送信されています。
      自動返信メールにて失礼いたします。お問い合わせを受け付けました。
      お問い合わせを受け付けました。⏎このメールにご返信いただきましても、お答えすることができません。
      本メールは送信専用アドレスから送信しています。
      ご意見ありがとうございます。⏎━━━━━━━━━━⏎株式会社緑⏎このメールは自動配信されています。
      This is an automated response. We have received your message.
      Thank you for contacting us. Please do not reply to this email.`),
  )('%j stops nothing', (text) => {
    expect(readWish(text, 'お問い合わせありがとうございます')).toMatchObject({ isRobot: true, wish: 'none' });
  });

  test.each(
    answers(`
      自動返信メールをいただきましたが、担当の方とお話しできますか。
      御社の自動送信システムについて教えてください。
      自動返信ではなく、担当者から返事をください。
      ぜひお話を伺いたいです。⏎⏎※このメールはチケットシステムから自動送信されています。`),
  )('%j is of a person', (text) => {
    expect(readWish(text)).toMatchObject({ isRobot: false });
  });

  test('that asks for no more mails is for a member to decide', () => {
    const text = 'お問い合わせありがとうございます。営業メールはお断りしております。\n※本メールは自動送信です。';
    expect(readWish(text)).toMatchObject({ isRobot: false, wish: 'doubtful' });
  });
});
