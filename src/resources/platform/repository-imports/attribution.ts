// Whose words imported texts are. An account that has the same login here may be another person, so only accounts that the
// operator has named become authors.
import type { Account } from '#access/viewer.ts';
import type { Id } from '#lib/id.ts';
import type { Person } from './schemas.ts';

/** Accounts of this server by the logins of the source, in lower case. */
export type People = ReadonlyMap<string, Account>;

type Somebody = Person | null | undefined;

/** The account for a person of the source; null for those who have none, as for deleted accounts. */
export const accountOf = (people: People, person: Somebody): Id<'accounts'> | null =>
  (person && people.get(person.login.toLowerCase())?.id) ?? null;

/**
 * The text of a person. Where no account stands for them, its first line tells the author's login on the source: as code, so that
 * it mentions nobody.
 */
export function attributed(
  body: string | null | undefined,
  person: Somebody,
  from: { people: People; host: string },
): string | null {
  const text = body === null || body === undefined ? null : storable(body);
  if (!person || accountOf(from.people, person) !== null) return text;
  const note = `*Originally by \`${storable(person.login).replace(/[`\s]/g, '')}\` on ${from.host}*`;
  return text === null || text === '' ? note : `${note}\n\n${text}`;
}

/** PostgreSQL stores no character 0. */
export const storable = (text: string): string => text.replaceAll('\0', '\uFFFD');
