import fc from 'fast-check';
import { commit, git } from '#test/git/support.ts';
import { command, pickRepository, type Real, text, which, write } from './command.ts';
import { fullName, type Model, type Repository } from './model.ts';

/** Pushes, by Git itself. */

type Edit = { put: number; text: number[] } | { remove: number } | { move: number; to: number };

const path = fc.nat(4);
/** Two of the paths have a word of the model in them. */
const pathAt = ({ words }: Model, at: number): string =>
  ['README.md', 'a.ts', 'lib/b.py', `lib/${words[0]}.txt`, `${words[1]}/c.md`][at] ?? '';

const edit: fc.Arbitrary<Edit> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ put: path, text }) },
  { weight: 1, arbitrary: fc.record({ remove: path }) },
  { weight: 1, arbitrary: fc.record({ move: path, to: path }) },
);

function edited(model: Model, before: Record<string, string>, edits: readonly Edit[]): Record<string, string> {
  const files = new Map(Object.entries(before));
  for (const one of edits) {
    if ('put' in one) files.set(pathAt(model, one.put), `${write(model, one.text)}\n`);
    if ('remove' in one) files.delete(pathAt(model, one.remove));
    if (!('move' in one)) continue;
    const moved = files.get(pathAt(model, one.move));
    files.delete(pathAt(model, one.move));
    if (moved !== undefined) files.set(pathAt(model, one.to), moved);
  }
  return Object.fromEntries(files);
}

type Push = { branch: string; edits: readonly Edit[]; message: string; forced?: boolean };

/** Pushes a commit upon what is there; a forced one in the place of the last commit. */
export async function push(real: Real, model: Model, repository: Repository, wanted: Push): Promise<void> {
  const { branch, edits, message, forced = false } = wanted;
  const tip = repository.branches.get(branch) ?? repository.branches.get(repository.defaultBranch);
  const parent = forced ? model.commits.get(tip ?? '')?.parent : tip;
  const files = edited(model, model.commits.get(parent ?? '')?.files ?? {}, edits);
  const oid = await commit(real.gitRepository, files, parent === undefined ? [] : [parent], message);
  const address = `${real.world.url.replace('://', `://x:${real.token}@`)}/${fullName(model, repository)}.git`;
  await git(real.gitRepository.path, 'push', '-q', ...(forced ? ['--force'] : []), address, `${oid}:refs/heads/${branch}`);
  model.commits.set(oid, { message, files, parent });
  // The first branch of a repository becomes the one that is searched.
  if (repository.branches.size === 0) repository.defaultBranch = branch;
  repository.branches.set(branch, oid);
}

const edits = fc.array(edit, { minLength: 1, maxLength: 4 });
const forced = fc.nat(2).map((number) => number === 0);

export const onFiles = [
  command('push', 'indexes', fc.record({ which, edits, text, forced }), (model, given) => {
    const repository = pickRepository(model, given.which);
    if (!repository) return undefined;
    const message = write(model, given.text);
    return (real) => push(real, model, repository, { ...given, message, branch: repository.defaultBranch });
  }),

  command('push another branch', 'indexes', fc.record({ which, edits, text, forced }), (model, given) => {
    const repository = pickRepository(model, given.which);
    if (!repository) return undefined;
    const message = write(model, given.text);
    const branch = repository.defaultBranch === 'next' ? 'main' : 'next';
    return (real) => push(real, model, repository, { ...given, message, branch });
  }),
];
