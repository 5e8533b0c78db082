/** Words with which addresses of an office start, not those of a person. */
const OFFICE_WORDS = (
  'info inquir contact toiawase otoiawase sales eigyo support service customer office jimu soumu somu keiri jinji ' +
  'kouhou koho press pr recruit saiyo admin web mail shop store order help desk news company corp general main head ' +
  'honsha hq team group post no reply center'
).split(' ');

/** Returns whether an address looks like a person's: two names of letters, such as `taro.yamada` or `t-yamada`. */
export function looksPersonal(email: string): boolean {
  const local = email.slice(0, email.lastIndexOf('@')).toLowerCase();
  const names = /^([a-z]{1,20})[._-]([a-z]{2,20})\d{0,3}$/.exec(local);
  return names !== null && !names.slice(1).some(isOfficeWord);
}

const isOfficeWord = (name: string): boolean => OFFICE_WORDS.some((word) => name.startsWith(word));
