import { findAccountsByLogin, isActionsOwner, reservedLogins } from '#resources/identity/accounts/index.ts';
import type { CheckContext, Diagnosis } from './diagnosis.ts';

/** Lists accounts that are older than the reservation of their login. They remain unchanged. */
export async function accounts({ db }: CheckContext): Promise<Diagnosis> {
  const found = (await findAccountsByLogin(db, reservedLogins)).map(({ login }) => login);
  if (found.length === 0) return { check: 'accounts', ok: true, detail: 'none has a reserved name' };
  const actions = found.filter(isActionsOwner);
  const consequence = actions.length > 0 ? '; workflows take the repositories of `actions` instead of those of the origin' : '';
  return { check: 'accounts', ok: true, detail: `reserved names: ${found.sort().join(', ')}${consequence}` };
}
