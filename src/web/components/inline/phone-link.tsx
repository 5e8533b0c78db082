import { dialledNumber } from '#domain/company/phone.ts';

/** Shows a telephone number as a link that dials it. */
export function PhoneLink({ phone }: { readonly phone: string | null }) {
  if (phone === null || phone === '') return null;
  const number = dialledNumber(phone);
  if (number === null) return <bdi>{phone}</bdi>;
  return (
    <a href={`tel:${number}`} title={phone} className="finger">
      <bdi>{phone}</bdi>
    </a>
  );
}
