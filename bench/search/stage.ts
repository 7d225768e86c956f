import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Db, openDatabase } from '#database/connect.ts';
import { startEmbedded } from '#database/embedded.ts';
import { migrate } from '#database/migrate.ts';
import type { GitStore } from '#git/repo.ts';
import { createRepository, openGitStore } from '#git/store.ts';
import type { Id } from '#lib/id.ts';

export type Repository = { id: Id<'repositories'>; path: string };

/** An embedded PostgreSQL and a Git root of their own, gone at the end. */
export type Stage = AsyncDisposable & {
  db: Db;
  git: GitStore;
  folder: string;
  /** To whom all repositories belong. */
  owner: Id<'accounts'>;
  addAccount(login: string): Promise<Id<'accounts'>>;
  /** Adds an empty public repository. */
  addRepository(name: string): Promise<Repository>;
};

export async function openStage(): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'hearth-bench-'));
  await mkdir(join(folder, 'data'));
  const server = await startEmbedded(join(folder, 'data'));
  await migrate(server.address);
  const database = openDatabase(server.address);
  const { db } = database;
  const git = await openGitStore({ root: join(folder, 'git'), env: process.env });
  const now = new Date();
  const addAccount = async (login: string): Promise<Id<'accounts'>> => {
    const row = { kind: 'user' as const, login, created_at: now, updated_at: now };
    return (await db.insertInto('accounts').values(row).returning('id').executeTakeFirstOrThrow()).id;
  };
  const owner = await addAccount('bench');
  return {
    db,
    git,
    folder,
    owner,
    addAccount,
    async addRepository(name) {
      const row = { owner_id: owner, name, created_at: now, updated_at: now };
      const { id } = await db.insertInto('repositories').values(row).returning('id').executeTakeFirstOrThrow();
      const { path } = await createRepository(git, id, { defaultBranch: 'main' });
      return { id, path };
    },
    async [Symbol.asyncDispose]() {
      await git[Symbol.asyncDispose]();
      await database.close();
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
