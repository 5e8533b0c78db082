/** The line of the built-in letters about how to unsubscribe. */
export const OPT_OUT_LINE = '今後のご案内が不要な場合は、お手数ですが本メールに「配信停止」とご返信ください。';
