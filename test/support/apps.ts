import { tokenPrefixes } from '#access/tokens.ts';
import type { Account, RepositoryRow } from '#access/viewer.ts';
import type { Id } from '#lib/id.ts';
import { hashToken, newToken } from '#lib/token.ts';
import { fresh, type World } from './world.ts';

type Installed = {
  installation: Id<'installations'>;
  bot: Account;
  /** A token of the installation itself. */
  token: string;
  /** A token with which the app acts for a user. */
  userToken(user: Account): Promise<string>;
};

type Wanted = { on: Account; permissions: Record<string, string>; repositories?: readonly RepositoryRow[] };

/** An app with these permissions, installed on an account, and its tokens. */
export async function installApp({ db, clock }: World, { on, permissions, repositories }: Wanted): Promise<Installed> {
  const times = { created_at: clock.now, updated_at: clock.now };
  const slug = fresh('app');
  const bot = await db
    .insertInto('accounts')
    .values({ kind: 'bot', login: `${slug}[bot]`, ...times })
    .returningAll()
    .executeTakeFirstOrThrow();
  const held = JSON.stringify(permissions);
  const app = await db
    .insertInto('apps')
    .values({
      kind: 'app',
      owner_id: on.id,
      bot_id: bot.id,
      slug,
      name: slug,
      external_url: 'https://app.example',
      client_id: `client-${slug}`,
      permissions: held,
      ...times,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const installation = await db
    .insertInto('installations')
    .values({
      app_id: app.id,
      account_id: on.id,
      repository_selection: repositories ? 'selected' : 'all',
      permissions: held,
      ...times,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  for (const { id } of repositories ?? [])
    await db.insertInto('installation_repositories').values({ installation_id: installation.id, repository_id: id }).execute();

  const tokenOf = async (kind: 'installation' | 'app_user', account: Account, of: { installation_id?: Id<'installations'> }) => {
    const token = newToken(tokenPrefixes[kind]);
    await db
      .insertInto('tokens')
      .values({
        kind,
        hash: hashToken(token),
        last_eight: token.slice(-8),
        account_id: account.id,
        app_id: app.id,
        ...(kind === 'app_user' ? { permissions: held } : {}),
        created_at: clock.now,
        // This prevents a write on its first use, so that statements can be counted.
        last_used_at: clock.now,
        ...of,
      })
      .execute();
    return token;
  };
  return {
    installation: installation.id,
    bot,
    token: await tokenOf('installation', bot, { installation_id: installation.id }),
    userToken: (user) => tokenOf('app_user', user, {}),
  };
}

/** A user's token for an OAuth app. */
export async function oauthToken(
  { db, clock }: World,
  user: Account,
  scopes: readonly string[],
  app?: Id<'apps'>,
): Promise<string> {
  const token = newToken(tokenPrefixes.oauth_app);
  await db
    .insertInto('tokens')
    .values({
      kind: 'oauth_app',
      hash: hashToken(token),
      last_eight: token.slice(-8),
      account_id: user.id,
      app_id: app ?? null,
      scopes: [...scopes],
      created_at: clock.now,
      // This prevents a write on its first use, so that statements can be counted.
      last_used_at: clock.now,
    })
    .execute();
  return token;
}

/** An OAuth app that users can authorize. */
export async function oauthApp({ db, clock }: World, owner: Account): Promise<Id<'apps'>> {
  const times = { created_at: clock.now, updated_at: clock.now };
  const slug = fresh('oauth');
  const about = { slug, name: slug, external_url: 'https://x.example', client_id: slug };
  const { id } = await db
    .insertInto('apps')
    .values({ kind: 'oauth', owner_id: owner.id, ...about, ...times })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** The kinds of the events in an account, oldest first. */
export async function eventsOf({ db }: World, owner: Account): Promise<string[]> {
  const rows = await db.selectFrom('events').select('kind').where('owner_id', '=', owner.id).orderBy('id').execute();
  return rows.map((row) => row.kind);
}
