import type { SignedIn } from '#access/viewer.ts';
import type { Links } from '#endpoint/links.ts';
import type { Identity } from '#git/objects/identity.ts';
import { invalid } from '#lib/refusal.ts';
import { identityOf } from '#resources/repositories/repositories/index.ts';

/** An author or committer in a body. For missing fields see `personOf`. */
type PersonInput = { name?: string | undefined; email?: string | undefined; date?: string | undefined };

type Caller = { viewer: SignedIn; links: Links; now: Date };

/**
 * The author and committer of a commit. The author is the one named, else the named committer, else the caller; the committer is
 * the author unless named.
 */
export function peopleOf(
  { viewer, links, now }: Caller,
  { author, committer }: { author?: PersonInput | undefined; committer?: PersonInput | undefined },
): { author: Identity; committer: Identity } {
  const caller = identityOf(viewer.account, links, now);
  const writer = personOf('author', author ?? committer, caller);
  return { author: writer, committer: committer ? personOf('committer', committer, caller) : writer };
}

/** The identity of a person in a body. Missing fields are taken from the caller. */
export function personOf(field: string, named: PersonInput | undefined, caller: Identity): Identity {
  const { name, email, date } = named ?? {};
  return { ...caller, name: name ?? caller.name, email: email ?? caller.email, ...(date ? parseDate(field, date) : {}) };
}

const pattern = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?\s*(?:Z|([+-])(\d\d):?(\d\d))?$/i;

/** A time with its zone. */
function parseDate(field: string, text: string): Pick<Identity, 'date' | 'zone'> {
  const found = pattern.exec(text.trim());
  const [, sign, hours, minutes] = found ?? [];
  const iso = text.trim().replace(' ', 'T');
  const date = new Date(sign === undefined && !/z$/i.test(iso) && iso.includes('T') ? `${iso}Z` : iso);
  if (!found || Number.isNaN(date.getTime()) || date.getTime() < 0)
    throw invalid('Commit', `${field}.date`, 'invalid', `${field}.date is not an ISO 8601 date since 1970`);
  const zone = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * (sign === '-' ? -1 : 1);
  return { date, zone };
}
