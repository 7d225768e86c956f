import type { Account, RepositoryRow } from '#access/viewer.ts';
import { commitChanges } from '#git/history/commit-changes.ts';
import type { Identity } from '#git/objects/identity.ts';
import { type NewObject, oidOf } from '#git/objects/pack.ts';
import { commitBytes, writeObjects } from '#git/objects/write-objects.ts';
import { findRefOids } from '#git/refs/refs.ts';
import type { GitRepository } from '#git/repo.ts';
import { repoOf } from '#git/store.ts';
import { mustMoveRefs } from '#resources/code/pushes/index.ts';
import type { Client } from '#test/support/client.ts';
import { fresh, type World } from '#test/support/world.ts';

export const diskOf = ({ hearth }: World, repo: Pick<RepositoryRow, 'id'>): GitRepository => repoOf(hearth.services.git, repo.id);

export const person = (name: string, day: number): Identity => ({
  name,
  email: `${name.toLowerCase()}@example.org`,
  date: new Date(Date.UTC(2024, 0, day)),
  zone: 60,
});

type Given = {
  files: Record<string, string | null>;
  parents?: readonly string[];
  message?: string;
  author?: Identity;
  committer?: Identity;
  signature?: string;
};

/** A commit of changes to its first parent: null removes a file. No ref moves. */
export async function addCommit(gitRepository: GitRepository, given: Given): Promise<string> {
  const { files, parents = [], message = 'Change\n', author = person('Ada', 1), committer = author, signature } = given;
  const changes = Object.entries(files).map(([path, text]) =>
    text === null ? { path, mode: '100644' as const, oid: null } : { path, mode: '100644' as const, content: Buffer.from(text) },
  );
  const wanted = { changes, parents, author, committer, message, ...(signature === undefined ? {} : { signature }) };
  return (await commitChanges(gitRepository, wanted)).commit;
}

/** Points a ref at a commit, as a push does. */
export async function point({ hearth, jobContext }: World, repo: RepositoryRow, ref: string, to: string): Promise<void> {
  const gitRepository = repoOf(hearth.services.git, repo.id);
  const from = (await findRefOids(gitRepository, [ref])).get(ref) ?? null;
  const { scope } = jobContext();
  await mustMoveRefs(scope, { repo, changes: [{ ref, from, to }], actor: undefined, workflowFiles: { allowed: true } });
}

/** A repository with a branch of so many commits, one file each, written at once; the commits, oldest first. */
export async function history(w: World, owner: Account, count: number, visibility: 'public' | 'private' = 'public') {
  const repo = await w.repo(owner, { visibility });
  const gitRepository = diskOf(w, repo);
  const oids: string[] = [];
  const objects: NewObject[] = [];
  const add = (object: NewObject): string => {
    objects.push(object);
    return oidOf(object);
  };
  const entries = new Map<string, Buffer>();
  for (let number = 1; number <= count; number++) {
    const author = person(number % 2 === 0 ? 'Grace' : 'Ada', number);
    const blob = add({ type: 'blob', data: Buffer.from(`${number}\n`) });
    const name = `${number}.txt`;
    entries.set(name, Buffer.concat([Buffer.from(`100644 ${name}\0`), Buffer.from(blob, 'hex')]));
    const sorted = [...entries].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, entry]) => entry);
    const tree = add({ type: 'tree', data: Buffer.concat(sorted) });
    const about = { tree, parents: oids.slice(-1), author, committer: author, message: `Change ${number}\n` };
    oids.push(add({ type: 'commit', data: commitBytes(about) }));
  }
  await writeObjects(gitRepository, objects);
  const tip = oids.at(-1);
  if (tip !== undefined) await point(w, repo, 'refs/heads/main', tip);
  return { repo, gitRepository, oids, path: `/repos/${owner.login}/${repo.name}` };
}

/**
 * Adds a file by a commit to the default branch, through the API. Its name and content, and so the names of all objects, are new.
 */
export async function addFile(client: Client, base: string): Promise<{ blob: string; tree: string; commit: string }> {
  const name = fresh('file');
  const content = Buffer.from(name).toString('base64');
  const { body } = await client.put(`${base}/contents/${name}`, { message: `Add ${name}`, content });
  return { blob: body.content.sha, tree: body.commit.tree.sha, commit: body.commit.sha };
}
