// The tokens of one's own.
import type { Db } from '#database/connect.ts';
import { list } from '#database/list.ts';
import type { Id } from '#lib/id.ts';
import type { Listed, Page } from '#lib/page.ts';
import type { TokenRow } from './store.ts';

const columns = [
  'tokens.id',
  'tokens.name',
  'tokens.kind',
  'tokens.scopes',
  'tokens.permissions',
  'tokens.repository_selection',
  'tokens.access',
  'tokens.created_at',
  'tokens.expires_at',
  'tokens.last_used_at',
] as const;

export type OwnTokenRow = Pick<
  TokenRow,
  | 'id'
  | 'name'
  | 'kind'
  | 'scopes'
  | 'permissions'
  | 'repository_selection'
  | 'access'
  | 'created_at'
  | 'expires_at'
  | 'last_used_at'
> & { owner: string | null };

/** The personal access tokens of an account, with the login of the owner that a fine-grained one is for. Newest first. */
export const listOwnTokens = (db: Db, account: Id<'accounts'>, page: Page): Promise<Listed<OwnTokenRow>> =>
  list(
    db,
    db
      .selectFrom('tokens')
      .leftJoin('accounts', 'accounts.id', 'tokens.owner_id')
      .select(columns)
      .select('accounts.login as owner')
      .where('tokens.account_id', '=', account)
      .where('tokens.kind', 'in', ['classic_pat', 'fine_grained_pat'])
      .orderBy('tokens.id', 'desc'),
    page,
  );
