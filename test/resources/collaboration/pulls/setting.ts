import type { Account, RepositoryRow } from '#access/viewer.ts';
import { findRefOids } from '#git/refs/refs.ts';
import { mustMoveRefs } from '#resources/code/pushes/index.ts';
import { addCommit, diskOf } from '#test/resources/code/commits/setting.ts';
import type { Client } from '#test/support/client.ts';
import type { World } from '#test/support/world.ts';

/** A repository with a first commit on main, and what tests of pull requests do in it. */
export type PullSetting = {
  ada: Account;
  /** The owner of the repository: Ada, or an organization of hers. */
  owner: Account;
  repo: RepositoryRow & { owner: Account };
  client: Client;
  base: string;
  first: string;
  /** Adds a commit to a branch, which begins at the first commit; null removes a file. */
  commit(branch: string, files: Record<string, string | null>, message?: string): Promise<string>;
  /** Makes a commit upon another one, or upon a branch, and pushes nothing. */
  unpushed(branch: string, files: Record<string, string | null>, parent?: string): Promise<string>;
  /** Pushes a commit to a branch. */
  pushCommit(branch: string, commit: string): Promise<void>;
  /** The commit of a branch. */
  tip(branch: string): Promise<string>;
  /** Opens a pull request of a branch into main. */
  open(head: string, more?: object): Promise<number>;
  /** The pull request, as soon as it is known whether it can be merged. */
  tested(number: number): Promise<Record<string, unknown>>;
};

/** Points a branch of a repository at a commit, as a push by this account does. */
export async function push(w: World, by: Account, repo: RepositoryRow, branch: string, to: string): Promise<void> {
  const ref = `refs/heads/${branch}`;
  const from = (await findRefOids(diskOf(w, repo), [ref])).get(ref) ?? null;
  const { scope } = w.jobContext();
  await mustMoveRefs(scope, { repo, changes: [{ ref, from, to }], actor: by.id, workflowFiles: { allowed: true } });
}

type Wanted = { visibility?: RepositoryRow['visibility']; ownedBy?: 'user' | 'organization' };

export async function pullSetting(w: World, { visibility = 'public', ownedBy = 'user' }: Wanted = {}): Promise<PullSetting> {
  const ada = await w.user();
  const owner = ownedBy === 'user' ? ada : await w.org(ada);
  const repo = await w.repo(owner, { visibility, by: ada });
  const client = await w.as(ada);
  const base = `/repos/${owner.login}/${repo.name}`;
  const gitRepository = diskOf(w, repo);
  const first = await addCommit(gitRepository, { files: { 'README.md': 'engine\n', 'a.txt': '1\n2\n3\n' }, message: 'First' });
  await push(w, ada, repo, 'main', first);
  const tip = async (branch: string) => (await client.get(`${base}/git/ref/heads/${branch}`)).body.object.sha;
  return {
    ada,
    owner,
    repo,
    client,
    base,
    first,
    tip,
    async unpushed(branch, files, parent) {
      const parents = [parent ?? (await tip(branch))];
      return addCommit(gitRepository, { files, parents, message: `Change ${branch}` });
    },
    pushCommit: (branch, commit) => push(w, ada, repo, branch, commit),
    async commit(branch, files, message = `Change ${branch}`) {
      const known = await client.get(`${base}/git/ref/heads/${branch}`);
      const parent = known.status === 200 ? known.body.object.sha : first;
      const oid = await addCommit(gitRepository, { files, parents: [parent], message });
      await push(w, ada, repo, branch, oid);
      return oid;
    },
    async open(head, more = {}) {
      const { body, status } = await client.post(`${base}/pulls`, { title: `Merge ${head}`, head, base: 'main', ...more });
      if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`);
      return body.number;
    },
    async tested(number) {
      await w.settle();
      return (await client.get(`${base}/pulls/${number}`)).body;
    },
  };
}

/** A fork of somebody's, and what tests do in it. */
export type ForkSetting = {
  user: Account;
  client: Client;
  repo: RepositoryRow;
  base: string;
  /** Adds a commit to a new branch of the fork. */
  commit(branch: string): Promise<string>;
  /** The commit of a branch. */
  tip(branch: string): Promise<string>;
  /** Opens a pull request of a branch of the fork into main. */
  open(branch: string, more?: object): Promise<{ status: number; body: Record<string, unknown> }>;
};

/** Forks the repository of a setting. */
export async function forkSetting(w: World, { base, first }: PullSetting, user: Account): Promise<ForkSetting> {
  const client = await w.as(user);
  const { body, status } = await client.post(`${base}/forks`, {});
  if (status !== 202) throw new Error(`${status} ${JSON.stringify(body)}`);
  await w.settle();
  const repo = await w.db.selectFrom('repositories').selectAll().where('id', '=', body.id).executeTakeFirstOrThrow();
  const gitRepository = diskOf(w, repo);
  return {
    user,
    client,
    repo,
    base: `/repos/${user.login}/${repo.name}`,
    async commit(branch) {
      const oid = await addCommit(gitRepository, {
        files: { [`${branch}.txt`]: 'new\n' },
        parents: [first],
        message: `Change ${branch}`,
      });
      await push(w, user, repo, branch, oid);
      return oid;
    },
    tip: async (branch) => (await client.get(`/repos/${user.login}/${repo.name}/git/ref/heads/${branch}`)).body.object.sha,
    open: (branch, more = {}) =>
      client.post(`${base}/pulls`, { title: `Merge ${branch}`, head: `${user.login}:${branch}`, base: 'main', ...more }),
  };
}
