import type { RepositoryRow } from '#access/viewer.ts';
import { record } from '#events/record.ts';
import type { Progress } from '#git/process/progress.ts';
import { getDefaultBranch, listRefs } from '#git/refs/refs.ts';
import { importRepository as fetchInto } from '#git/transport/import.ts';
import type { RuledScope } from './ruled-change.ts';
import { type Creation, createRepository } from './rules.ts';
import { updateRepository } from './store.ts';

type Import = Omit<Creation, 'initialize' | 'from'> & {
  source: string;
  /** Whether the heads of its pull requests are copied too, for importing them. */
  pulls?: true;
  /** Sent to the source, and to no other server. */
  token?: string | undefined;
  onProgress?: (progress: Progress) => void;
};

/**
 * Creates a repository with the branches and tags of another one, at an absolute path or an http(s) address. The default branch
 * is the one that HEAD of the source names. For operators only, since a path is read without access checks. It is a single event,
 * however many branches there are, and history that was pushed elsewhere causes no webhooks here.
 */
export async function importRepository(
  scope: RuledScope,
  { source, pulls, token, onProgress, ...creation }: Import,
): Promise<RepositoryRow> {
  const { owner, by, now } = creation;
  let head: string | undefined;
  let isEmpty = true;
  const row = await createRepository(scope, {
    ...creation,
    async initialize(draft) {
      const given = { source, pulls, token, fallbackBranch: draft.default_branch, onProgress };
      const gitRepository = await fetchInto(creation.git, draft.id, given);
      head = (await getDefaultBranch(gitRepository))?.name;
      isEmpty = (await listRefs(gitRepository, { prefix: 'refs/' })).rows.length === 0;
      return [];
    },
  });
  const event = { owner: owner.id, repository: row.id, actor: by.account.id, at: now };
  await record(scope.tx, { ...event, kind: 'repository.imported', data: {} });
  return updateRepository(scope.tx, row.id, {
    default_branch: head ?? row.default_branch,
    ...(isEmpty ? {} : { pushed_at: now }),
  });
}
