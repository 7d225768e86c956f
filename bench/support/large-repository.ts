import { sql } from 'kysely';
import { type NewObject, oidOf } from '#git/objects/pack.ts';
import { commitBytes, writeObjects } from '#git/objects/write-objects.ts';
import { writeTree } from '#git/objects/write-tree.ts';
import { mustUpdateRefs } from '#git/refs/update-refs.ts';
import { repoOf } from '#git/store.ts';
import type { openStage } from '../search/stage.ts';

type File = { readonly path: string; readonly content: string };
type Stage = Awaited<ReturnType<typeof openStage>>;

/** Adds a repository whose branch `main` has many files, with functions that change it directly in Git, and by requests. */
export async function addLargeRepository({ hearth, db, git, token, addRepository }: Stage, { files }: { files: number }) {
  const { id } = await addRepository('engine');
  const gitRepository = repoOf(git, id);
  const by = { name: 'Bench', email: 'bench@example.org', date: new Date(), zone: 0 };

  async function addCommit(changed: readonly File[], parent?: string): Promise<string> {
    const changes = changed.map(({ path, content }) => ({ path, mode: '100644' as const, content: Buffer.from(content) }));
    const tree = await writeTree(gitRepository, { changes, ...(parent === undefined ? {} : { base: parent }) });
    const commit: NewObject = {
      type: 'commit',
      data: commitBytes({ tree, parents: parent === undefined ? [] : [parent], author: by, committer: by, message: 'Change' }),
    };
    await writeObjects(gitRepository, [commit]);
    return oidOf(commit);
  }

  /** Sends a request about the repository. */
  async function send<Body>(method: 'POST' | 'PUT' | 'GET', path: string, body?: object): Promise<Body> {
    const reply = await hearth.app.inject({
      method,
      url: `/api/v3/repos/bench/engine${path}`,
      headers: { authorization: `Bearer ${token}` },
      ...(body === undefined ? {} : { payload: body }),
    });
    if (reply.statusCode >= 300) throw new Error(`${method} ${path}: ${reply.statusCode} ${reply.payload}`);
    return reply.json();
  }

  const first = await addCommit(
    Array.from({ length: files }, (_, at) => ({
      path: `part-${at % 100}/file-${at}.txt`,
      content: `The file with the number ${at}\n`.repeat(20),
    })),
  );
  await mustUpdateRefs(gitRepository, [{ ref: 'refs/heads/main', to: first }]);
  await sql`update repositories set pushed_at = now() where id = ${id}`.execute(db);

  /** Adds a branch with one commit upon the first one of `main`. Returns the commit. */
  async function addBranch(name: string, file: File): Promise<string> {
    const head = await addCommit([file], first);
    await mustUpdateRefs(gitRepository, [{ ref: `refs/heads/${name}`, to: head }]);
    return head;
  }
  return { id, send, addBranch };
}
