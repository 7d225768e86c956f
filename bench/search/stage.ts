import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Address, Db } from '#database/connect.ts';
import { startEmbedded } from '#database/embedded.ts';
import { migrate } from '#database/migrate.ts';
import { changeWithoutRequest } from '#endpoint/change-in.ts';
import type { Change } from '#endpoint/scope.ts';
import type { GitStore } from '#git/repo.ts';
import { createRepository } from '#git/store.ts';
import type { Id } from '#lib/id.ts';
import { createUser } from '#resources/identity/accounts/index.ts';
import { createClassicToken } from '#resources/identity/tokens/index.ts';
import type { Hearth } from '#server/hearth.ts';
import { openForBench } from '../support/hearth.ts';

export type Repository = { id: Id<'repositories'>; name: string; path: string };

/** The fields of replies that are read here. */
export type Found = { total_count: number; incomplete_results: boolean; items: unknown[] };

export type Searched = 'code' | 'commits' | 'issues';

/** A Hearth on its own PostgreSQL and data folder, removed at the end. */
export type Stage = AsyncDisposable & {
  hearth: Hearth;
  db: Db;
  address: Address;
  git: GitStore;
  folder: string;
  token: string;
  /** The owner of all repositories. */
  owner: Id<'accounts'>;
  addAccount(login: string): Promise<Id<'accounts'>>;
  /** Adds an empty public repository. */
  addRepository(name: string): Promise<Repository>;
  /** A search from a client's view, complete except for the socket. */
  search(kind: Searched, parameters: Record<string, string>, given?: { matches: boolean }): Promise<Found>;
};

export async function openStage(): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'hearth-bench-'));
  await mkdir(join(folder, 'data'));
  const server = await startEmbedded(join(folder, 'data'));
  await migrate(server.address);
  const hearth = await openForBench(server.address, folder);
  const { db } = hearth.database;
  const { git } = hearth.services;
  const now = new Date();
  const doChange: Change = (work) => changeWithoutRequest({ db, services: hearth.services, now }, work);
  const addAccount = async (login: string) => (await doChange((scope) => createUser(scope, { login, now }))).id;
  const user = await doChange((scope) => createUser(scope, { login: 'bench', now }));
  const { token } = await doChange((scope) => createClassicToken(scope, { user, scopes: ['repo'], name: '', now }));
  return {
    hearth,
    db,
    address: server.address,
    git,
    folder,
    token,
    owner: user.id,
    addAccount,
    async addRepository(name) {
      const row = { owner_id: user.id, name, created_at: now, updated_at: now };
      const { id } = await db.insertInto('repositories').values(row).returning('id').executeTakeFirstOrThrow();
      const { path } = await createRepository(git, id, { defaultBranch: 'main' });
      return { id, name, path };
    },
    async search(kind, parameters, { matches } = { matches: false }) {
      const reply = await hearth.app.inject({
        url: `/api/v3/search/${kind}`,
        query: parameters,
        headers: {
          authorization: `Bearer ${token}`,
          accept: `application/vnd.service${matches ? '.text-match' : ''}+json`,
        },
      });
      if (reply.statusCode !== 200) throw new Error(`${JSON.stringify(parameters)} is answered by ${reply.payload}`);
      return reply.json<Found>();
    },
    async [Symbol.asyncDispose]() {
      await hearth[Symbol.asyncDispose]();
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
