import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import pino from 'pino';
import { expect } from 'vitest';
import { defaultLimits } from '#access/rate-limits.ts';
import { scopes as everyScope, type Scope } from '#access/scopes.ts';
import { tokenPrefixes } from '#access/tokens.ts';
import type { Account, RepositoryRow, SignedIn } from '#access/viewer.ts';
import { countStatements } from '#database/client.ts';
import type { Db } from '#database/connect.ts';
import { changeWithoutRequest } from '#endpoint/change-in.ts';
import { type JobContext, jobContext } from '#endpoint/job-context.ts';
import type { ServedChange } from '#endpoint/scope.ts';
import type { Services } from '#endpoint/services.ts';
import { countGitProcesses } from '#git/process/process.ts';
import type { QueueContext } from '#jobs/job.ts';
import { runDueJobs } from '#jobs/worker.ts';
import type { Id } from '#lib/id.ts';
import { hashToken, newToken } from '#lib/token.ts';
import type { LimitOverrides } from '#resources/all.ts';
import { createUser } from '#resources/identity/accounts/index.ts';
import { putMembership } from '#resources/identity/members/index.ts';
import { createOrganization } from '#resources/identity/organizations/index.ts';
import { createRepository } from '#resources/repositories/repositories/index.ts';
import { type Hearth, openHearth, type Settings, type SshSettings } from '#server/hearth.ts';
import { openSshServer, type SshServer } from '#ssh-server/server.ts';
import { type Client, clientOf } from './client.ts';
import { testDatabase } from './database.ts';
import { atEndOfFile } from './end-of-file.ts';
import { machinesInMemory } from './machines.ts';
import { recordPerformed } from './performed.ts';

/** A complete Hearth for one test file: real HTTP on loopback, with its own database and Git root. */
export type World = {
  hearth: Hearth;
  db: Db;
  /** The server's address, without `/api/v3`. */
  url: string;
  /** Git over SSH, if the settings enable it. */
  ssh: SshServer | undefined;
  /** The current time, which tests can change. */
  clock: { now: Date };
  /** Creates a user. An e-mail address is verified. */
  user(login?: string, more?: Partial<Omit<Account, 'id'>>): Promise<Account>;
  org(owner: Account, login?: string): Promise<Account>;
  member(org: Account, user: Account, role?: 'owner' | 'member'): Promise<void>;
  repo(
    owner: Account,
    wanted?: { name?: string; visibility?: RepositoryRow['visibility']; by?: Account },
  ): Promise<RepositoryRow & { owner: Account }>;
  collaborator(repo: RepositoryRow, user: Account, role: 'read' | 'triage' | 'write' | 'maintain' | 'admin'): Promise<void>;
  /** A classic token with the given scopes, or all of them. */
  token(user: Account, scopes?: readonly Scope[]): Promise<string>;
  fineGrained(
    user: Account,
    owner: Account,
    permissions: Record<string, string>,
    repositories?: readonly RepositoryRow[],
  ): Promise<string>;
  /** A client for an account with a classic token, for the holder of a token, or for an anonymous caller. */
  as(who: Account | string | undefined): Promise<Client>;
  change: ServedChange;
  /** The current context for jobs of this server. */
  jobContext(more?: Partial<QueueContext & { change: ServedChange; services: Services }>): JobContext;
  /** The number of SQL statements of a GET, including the one for the credential. */
  statements(who: Account, path: string, more?: { headers: Record<string, string> }): Promise<number>;
  /** Opens another server on the same database and repositories, such as a second process, or a later one with other settings. */
  another(settings?: Partial<Settings>): Promise<Hearth>;
  /** The git processes that a GET or a POST starts, by subcommand. A reader of objects that is already open isn't included. */
  gitProcesses(who: Account, path: string, body?: object): Promise<string[]>;
  /** Runs jobs until none is due. */
  settle(): Promise<void>;
  /** Runs `work` and requires that no row of the given tables changes. */
  unchanged(tables: readonly string[], work: () => Promise<unknown>): Promise<void>;
};

let opened: Promise<World> | undefined;
let counter = 0;

/** A name that no other test of the file uses. */
export const fresh = (stem: string): string => `${stem}-${++counter}`;

/** The world of this test file. The first call opens it, and it is closed after the last test. */
export function world(settings: Partial<Settings> = {}): Promise<World> {
  opened ??= open(settings);
  return opened;
}

const patience = 5 * 60_000;

/** Nothing times out because the machine is busy, or because a test holds a lock. Tests of timeouts set their own limit. */
const patient = (limits: LimitOverrides = {}): LimitOverrides => ({
  ...limits,
  database: { statementTime: patience, ...limits.database },
  requests: { waitingTime: patience, ...limits.requests },
  git: { waitingTime: patience, commandTime: patience, ...limits.git },
  oauth: { waitingTime: patience, ...limits.oauth },
});

async function open({ resourceLimits, ...settings }: Partial<Settings>): Promise<World> {
  const database = await testDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'hearth-world-'));
  const clock = { now: new Date('2026-01-01T00:00:00Z') };
  const all: Settings = {
    address: database.address,
    repositories: join(folder, 'repositories'),
    env: process.env,
    vocabulary: 'service',
    limits: { ...defaultLimits, enabled: false },
    secretKey: Buffer.alloc(32, 7),
    version: '0.0.0-test',
    webhooks: { allow: ['127.0.0.0/8'] },
    pages: { port: 3001 },
    runners: { provider: machinesInMemory() },
    log: pino({ level: process.env.HEARTH_TEST_LOG ?? 'fatal' }),
    clock: () => clock.now,
    connections: 8,
    // Tests of search timeouts set their own budget. Others find everything even on a busy machine.
    searchBudget: 60_000,
    resourceLimits: patient(resourceLimits),
    ...settings,
  };
  const hearth = await openHearth(all);
  const another = async (others: Partial<Settings> = {}): Promise<Hearth> => {
    const second = await openHearth({ ...all, ...others });
    recordPerformed(second.app.server);
    atEndOfFile(() => second[Symbol.asyncDispose]());
    return second;
  };
  const url = await hearth.app.listen({ port: 0, host: '127.0.0.1' });
  recordPerformed(hearth.app.server);
  const ssh = all.ssh && (await openSsh(hearth, all, all.ssh));
  atEndOfFile(async () => {
    await ssh?.close();
    opened = undefined;
    await hearth[Symbol.asyncDispose]();
    // A worker keeps the modules of all files that it ran, and everything that they refer to. Without this, some megabytes of
    // each server would remain, and starting git from a large process takes longer than git itself.
    for (const name of Reflect.ownKeys(hearth)) Reflect.deleteProperty(hearth, name);
    await database.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  });
  return makeWorld(hearth, { url, ssh, clock, another });
}

function openSsh({ database, services, app }: Hearth, { log, clock }: Settings, settings: SshSettings): Promise<SshServer> {
  const parts = { database, services, log, clock, refusals: app.limitRefusals };
  return openSshServer(parts, settings, { host: '127.0.0.1', port: 0 });
}

function makeWorld(hearth: Hearth, { url, ssh, clock, another }: Pick<World, 'url' | 'ssh' | 'clock' | 'another'>): World {
  const { db } = hearth.database;
  const doChange: ServedChange = (work) => changeWithoutRequest({ db, services: hearth.services, now: clock.now }, work);
  const insertToken = async (row: {
    kind: 'classic_pat' | 'fine_grained_pat';
    account: Account;
    scopes?: readonly string[];
    ownerId?: Id<'accounts'>;
    permissions?: Record<string, string>;
    selection?: 'all' | 'selected';
  }) => {
    const token = newToken(tokenPrefixes[row.kind]);
    const { id } = await db
      .insertInto('tokens')
      .values({
        kind: row.kind,
        hash: hashToken(token),
        last_eight: token.slice(-8),
        account_id: row.account.id,
        scopes: [...(row.scopes ?? [])],
        owner_id: row.ownerId ?? null,
        permissions: JSON.stringify(row.permissions ?? {}),
        repository_selection: row.selection ?? null,
        ...(row.kind === 'fine_grained_pat' ? { access: 'granted' as const, granted_at: clock.now } : {}),
        created_at: clock.now,
        // This prevents a write on its first use, so that statements can be counted.
        last_used_at: clock.now,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    return { token, id };
  };
  const self: World = {
    hearth,
    db,
    url,
    ssh,
    clock,
    change: doChange,
    jobContext: ({ services = hearth.services, ...more } = {}) =>
      jobContext({ db, now: clock.now, log: hearth.worker.log, ...more }, services),
    async user(login = fresh('user'), more = {}) {
      const { email, ...columns } = more;
      const account = await doChange((scope) => createUser(scope, { login, email: email ?? undefined, now: clock.now }));
      if (Object.keys(columns).length === 0) return account;
      return db.updateTable('accounts').set(columns).where('id', '=', account.id).returningAll().executeTakeFirstOrThrow();
    },
    org: (owner, login = fresh('org')) => doChange((scope) => createOrganization(scope, { login, owner, now: clock.now })),
    async member(org, user, role = 'member') {
      await doChange((scope) =>
        putMembership(scope.tx, { organization_id: org.id, user_id: user.id, role, created_at: clock.now }),
      );
    },
    async repo(owner, { name = fresh('repo'), visibility = 'public', by = owner } = {}) {
      const viewer: SignedIn = { account: by, grant: { kind: 'none' } };
      const asOwner = { ...owner, role: 'owner' };
      const row = await doChange((scope) =>
        createRepository(scope, {
          git: hearth.services.git,
          owner: asOwner,
          by: viewer,
          wanted: { name, visibility },
          now: clock.now,
        }),
      );
      return { ...row, owner };
    },
    async collaborator(repo, user, role) {
      await db
        .insertInto('collaborators')
        .values({ repository_id: repo.id, user_id: user.id, role, created_at: clock.now })
        .execute();
    },
    token: async (user, scopes = everyScope) => (await insertToken({ kind: 'classic_pat', account: user, scopes })).token,
    async fineGrained(user, owner, permissions, repositories) {
      const selection = repositories ? 'selected' : 'all';
      const { token, id } = await insertToken({
        kind: 'fine_grained_pat',
        account: user,
        ownerId: owner.id,
        permissions,
        selection,
      });
      for (const repository of repositories ?? [])
        await db.insertInto('token_repositories').values({ token_id: id, repository_id: repository.id }).execute();
      return token;
    },
    async as(who) {
      const token = typeof who === 'string' || who === undefined ? who : await self.token(who);
      return clientOf(url, token, hearth.services.vocabulary);
    },
    async statements(who, path, more) {
      const headers = { authorization: `Bearer ${await self.token(who)}`, ...more?.headers };
      const ask = () => hearth.app.inject({ method: 'GET', url: `/api/v3${path}`, headers });
      await ask(); // records the first use of the token, which isn't counted
      const { result, statements } = await countStatements(ask);
      expect(result.statusCode).toBe(200);
      expect(statements.length, `statements of ${path}`).toBeGreaterThan(0);
      return statements.length;
    },
    another,
    async gitProcesses(who, path, body) {
      const headers = { authorization: `Bearer ${await self.token(who)}` };
      const wanted = body === undefined ? ({ method: 'GET' } as const) : ({ method: 'POST', payload: body } as const);
      const ask = () => hearth.app.inject({ ...wanted, url: `/api/v3${path}`, headers });
      const { result, started } = await countGitProcesses(ask);
      expect(result.statusCode, result.payload).toBe(body === undefined ? 200 : 201);
      return started;
    },
    settle: () => runDueJobs(hearth.worker),
    async unchanged(tables, work) {
      const before = await snapshot(db, tables);
      await work();
      expect(await snapshot(db, tables)).toEqual(before);
    },
  };
  return self;
}

/** All rows of tables, as texts in a fixed order, since some tables have no id. */
const snapshot = (db: Db, tables: readonly string[]): Promise<string[][]> =>
  Promise.all(
    tables.map(async (table) => {
      const { rows } = await sql<{ row: string }>`select to_jsonb(t)::text as row from ${sql.table(table)} t`.execute(db);
      return rows.map(({ row }) => row).sort();
    }),
  );
