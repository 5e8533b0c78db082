/** What a person should know of a time, one line each. */
export const NoteTexts = ({ texts }: { readonly texts: readonly string[] }) =>
  texts.map((text) => <p key={text}>{text}</p>);
