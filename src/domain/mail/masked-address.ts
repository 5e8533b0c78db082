/** Hides most of an address's local part, so that its owner recognises it and others do not learn it. */
export function maskedAddress(address: string): string {
  const at = address.lastIndexOf('@');
  const local = address.slice(0, at);
  return `${local.slice(0, local.length > 2 ? 2 : 1)}***${address.slice(at)}`;
}
