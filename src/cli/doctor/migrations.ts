import { sql } from 'kysely';
import { addDays } from '#lib/time.ts';
import { type CheckContext, type Diagnosis, someOf } from './diagnosis.ts';

/** An archive is kept for as many days, so that a failure is of interest for as long. */
const shownDays = 7;

type Failed = { id: number; login: string; failure: string | null };

/** Lists the migrations whose archives couldn't be written lately, with the reasons. */
export async function migrations({ db }: Pick<CheckContext, 'db'>, now: Date): Promise<Diagnosis> {
  const { rows } = await sql<Failed>`
    select m.id, a.login, m.failure from migrations m join accounts a on a.id = m.account_id
    where m.state = 'failed' and m.updated_at > ${addDays(now, -shownDays)} order by m.id`.execute(db);
  const check = 'migrations';
  if (rows.length === 0) return { check, ok: true, detail: `none failed in the last ${shownDays} days` };
  const failed = rows.map(({ id, login, failure }) => `${id} of ${login} (${firstLineOf(failure)})`);
  return { check, ok: true, warning: true, detail: `failed: ${someOf(failed, '; ')}` };
}

const firstLineOf = (text: string | null): string => text?.trim().split('\n', 1)[0] ?? 'no reason stored';
