import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Address, Database } from '#database/connect.ts';
import { writeCommit } from '#git/objects/write-objects.ts';
import { writeTree } from '#git/objects/write-tree.ts';
import { updateRefs } from '#git/refs/update-refs.ts';
import type { GitRepository, GitStore } from '#git/repo.ts';
import { createRepository, openGitStore } from '#git/store.ts';
import type { Id } from '#lib/id.ts';
import { ada } from '#test/git/support.ts';
import { testDatabase } from '#test/support/database.ts';

export const now = new Date('2026-01-02T03:04:05Z');

export type Files = Record<string, string | Buffer>;

/** A place with repositories in it, made of real rows and real Git. */
export type SearchFixture = Database & {
  address: Address;
  git: GitStore;
  account(login: string, extra?: Partial<{ kind: 'user' | 'organization'; email: string }>): Promise<Id<'accounts'>>;
  repository(
    owner: Id<'accounts'>,
    name: string,
    extra?: RepositoryExtra,
  ): Promise<{ id: Id<'repositories'>; repo: GitRepository }>;
};

type RepositoryExtra = Partial<{
  visibility: 'public' | 'private';
  default_branch: string;
  archived: boolean;
  parent_id: Id<'repositories'>;
}>;

/** A place for one test, removed after it. */
export async function newPlace(): Promise<SearchFixture> {
  const place = await makeSearchFixture();
  onTestFinished(() => place.close());
  return place;
}

/** A place for the tests of a file; its `close` removes it. */
export async function makeSearchFixture(): Promise<SearchFixture> {
  const database = await testDatabase();
  const root = await mkdtemp(join(tmpdir(), 'hearth-search-'));
  const git = await openGitStore({ root, env: process.env });
  const times = { created_at: now, updated_at: now };
  return {
    ...database,
    git,
    async close() {
      await git[Symbol.asyncDispose]();
      await database.close();
      await rm(root, { recursive: true, force: true, maxRetries: 10 });
    },
    async account(login, extra = {}) {
      const { id } = await database.db
        .insertInto('accounts')
        .values({ kind: 'user', login, ...extra, ...times })
        .returning('id')
        .executeTakeFirstOrThrow();
      const { email } = extra;
      const verified = { account_id: id, verified_at: now, created_at: now };
      if (email !== undefined)
        await database.db
          .insertInto('email_addresses')
          .values({ ...verified, email })
          .execute();
      return id;
    },
    async repository(owner, name, extra = {}) {
      const { id } = await database.db
        .insertInto('repositories')
        .values({ owner_id: owner, name, ...extra, ...times })
        .returning('id')
        .executeTakeFirstOrThrow();
      return { id, repo: await createRepository(git, id, { defaultBranch: extra.default_branch ?? 'main' }) };
    },
  };
}

type CommitExtra = Partial<{
  branch: string;
  message: string;
  parents: string[];
  author: typeof ada;
  committer: typeof ada;
}>;

/** Makes a commit of exactly these files the tip of a branch, as a push would. */
export async function push(repo: GitRepository, files: Files, extra: CommitExtra = {}): Promise<string> {
  const changes = Object.entries(files).map(([path, text]) => ({ path, mode: '100644' as const, content: Buffer.from(text) }));
  const tree = await writeTree(repo, { changes });
  const { branch = 'main', message = 'Change', parents = [], author = ada, committer = ada } = extra;
  const oid = await writeCommit(repo, { tree, parents, author, committer, message });
  await updateRefs(repo, [{ ref: `refs/heads/${branch}`, to: oid }]);
  return oid;
}
