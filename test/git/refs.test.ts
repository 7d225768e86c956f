import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { writeTag } from '#git/objects/write-objects.ts';
import { misleadingRefProblem, refNameProblem } from '#git/refs/ref-name.ts';
import { findRef, getDefaultBranch, listRefs, setDefaultBranch } from '#git/refs/refs.ts';
import { findMergeBase, findRevision, isAncestor } from '#git/refs/resolve.ts';
import { updateRefs } from '#git/refs/update-refs.ts';
import { ada, commit, git, kindOf, newRepo } from './support.ts';

const absent = 'f'.repeat(40);

test('the rules for ref names are those of git check-ref-format', () => {
  const piece = fc.constantFrom(
    'a',
    'b',
    '/',
    '.',
    '-',
    '@',
    '{',
    '@{',
    '..',
    '.lock',
    '~',
    '^',
    ':',
    '?',
    '*',
    '[',
    '\\',
    ' ',
    '\t',
    '\x7f',
    'ü',
    '-x',
  );
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 6 }), (pieces) => {
      const name = `refs/heads/${pieces.join('')}`;
      const git = spawnSync('git', ['check-ref-format', name]);
      expect([name, refNameProblem(name) === undefined]).toEqual([name, git.status === 0]);
    }),
    { numRuns: 300 },
  );
});

test.each(['refs/heads/--exec=x', 'refs/heads/-x', 'refs/heads/ü', 'refs/heads/a@b', 'refs/tags/v1.0'])(
  'Git option injection: the legal name %s is stored, found, listed and deleted',
  async (ref) => {
    const repo = await newRepo();
    const oid = await commit(repo, { a: 'x' });
    expect(await updateRefs(repo, [{ ref, from: null, to: oid }])).toEqual({ updated: true });
    expect(await findRef(repo, ref)).toMatchObject({ name: ref, oid });
    expect((await listRefs(repo, { prefix: ref })).rows).toMatchObject([{ name: ref }]);
    expect(await findRevision(repo, ref.replace(/^refs\/[a-z]+\//, ''))).toMatchObject({ oid, ref });
    expect(await updateRefs(repo, [{ ref, from: oid, to: null }])).toEqual({ updated: true });
    expect(await findRef(repo, ref)).toBeUndefined();
  },
);

test.each([
  'refs/heads/a..b',
  'refs/heads/',
  'heads/x',
  '--stdin',
  'refs/heads/x\0delete refs/heads/main',
  'refs/heads/\ufffd',
  'refs/x',
])('the name %j is refused', async (ref) => {
  const repo = await newRepo();
  const oid = await commit(repo, { a: 'x' });
  expect(await kindOf(updateRefs(repo, [{ ref, to: oid }]))).toBe('invalid');
  expect(await findRef(repo, ref)).toBeUndefined();
});

test.each([
  `refs/heads/${absent}`,
  'refs/heads/HEAD',
  'refs/heads/refs/heads/main',
  'refs/tags/refs/x',
  'refs/refs/heads/main',
  'refs/remotes/refs/heads/main',
])('nobody may make %s, which reads as something else; it may be deleted', async (ref) => {
  const repo = await newRepo();
  const oid = await commit(repo, { a: 'x' });
  expect(misleadingRefProblem(ref)).toBeDefined();
  expect(await kindOf(updateRefs(repo, [{ ref, to: oid }]))).toBe('invalid');
  expect(await updateRefs(repo, [{ ref, from: oid, to: null }])).toMatchObject({ updated: false });
});

test('changes of several refs are made together or not at all, and the one in the way is named', async () => {
  const repo = await newRepo();
  const [one, two] = [await commit(repo, { a: '1' }), await commit(repo, { a: '2' })];
  await updateRefs(repo, [{ ref: 'refs/heads/main', to: one }]);
  const attempt = (ref: string, from: string | null, to: string | null) =>
    updateRefs(repo, [
      { ref: 'refs/heads/other', from: null, to: two },
      { ref, from, to },
    ]);
  expect(await attempt('refs/heads/main', two, one)).toEqual({ updated: false, ref: 'refs/heads/main', reason: 'moved' });
  expect(await attempt('refs/heads/main', null, one)).toEqual({ updated: false, ref: 'refs/heads/main', reason: 'exists' });
  expect(await attempt('refs/heads/none', one, two)).toEqual({ updated: false, ref: 'refs/heads/none', reason: 'absent' });
  expect(await attempt('refs/heads/none', one, null)).toEqual({ updated: false, ref: 'refs/heads/none', reason: 'absent' });
  expect(await attempt('refs/heads/main/x', null, one)).toMatchObject({ updated: false, reason: 'folder' });
  expect(await kindOf(attempt('refs/heads/x', null, absent))).toBe('invalid');
  expect((await listRefs(repo, { prefix: 'refs/heads/' })).rows.map(({ name }) => name)).toEqual(['refs/heads/main']);
  expect(await attempt('refs/heads/main', one, two)).toEqual({ updated: true });
});

test('refs are listed by prefix in pages, tags with what is behind them, internal ones never', async () => {
  const repo = await newRepo();
  const oid = await commit(repo, { a: 'x' });
  const tag = await writeTag(repo, { name: 'v1', target: oid, targetType: 'commit', tagger: ada, message: 'One' });
  const names = ['heads/feat', 'heads/feature/a', 'heads/feature/b', 'heads/main', 'hearth/keep', 'pull/1/head'];
  await updateRefs(
    repo,
    names.map((name) => ({ ref: `refs/${name}`, to: oid })),
  );
  await updateRefs(repo, [{ ref: 'refs/tags/v1', to: tag }]);
  const list = async (prefix: string, page = {}) => {
    const { rows, total } = await listRefs(repo, { prefix, ...page });
    return [...rows.map(({ name }) => name), total];
  };
  expect(await list('refs/heads/feat')).toEqual(['refs/heads/feat', 'refs/heads/feature/a', 'refs/heads/feature/b', 3]);
  expect(await list('refs/heads/feature/')).toEqual(['refs/heads/feature/a', 'refs/heads/feature/b', 2]);
  expect(await list('refs/heads/', { offset: 1, limit: 2 })).toEqual(['refs/heads/feature/a', 'refs/heads/feature/b', 4]);
  expect(await list('refs/', { limit: 0 })).toEqual([6]);
  expect(await list('refs/heads/*')).toEqual([0]);
  expect(await list('refs/heads/--format=x/')).toEqual([0]);
  expect((await listRefs(repo, { prefix: 'refs/tags/' })).rows).toEqual([
    { name: 'refs/tags/v1', oid: tag, type: 'tag', peeled: { oid, type: 'commit' } },
  ]);
});

test('a revision is a branch, a tag, a full or short object name, a ref, or steps behind one', async () => {
  const repo = await newRepo();
  const root = await commit(repo, { a: '1' });
  const oid = await commit(repo, { a: '2' }, [root]);
  const tag = await writeTag(repo, { name: 'v1', target: oid, targetType: 'commit', tagger: ada, message: 'One' });
  await updateRefs(repo, [
    { ref: 'refs/heads/main', to: oid },
    { ref: 'refs/heads/both', to: oid },
    { ref: 'refs/tags/both', to: root },
    { ref: 'refs/tags/v1', to: tag },
    { ref: 'refs/hearth/keep', to: oid },
  ]);
  const find = async (text: string) => (await findRevision(repo, text, { peel: 'commit' }))?.oid;
  for (const text of [
    'main',
    'heads/main',
    'refs/heads/main',
    'HEAD',
    '@',
    oid,
    oid.toUpperCase(),
    oid.slice(0, 8),
    'both',
    'v1',
    'tags/v1',
    tag,
    'main~0',
  ]) {
    expect([text, await find(text)]).toEqual([text, oid]);
  }
  for (const text of ['tags/both', 'main~1', 'main^', 'v1~1', `${oid.slice(0, 8)}^1`])
    expect([text, await find(text)]).toEqual([text, root]);
  for (const text of [
    '',
    'none',
    '--all',
    'main@{0}',
    ':/x',
    'main^{/x}',
    'main~2',
    'a..b',
    'hearth/keep',
    'refs/hearth/keep',
    absent,
    'main:a',
    'x\0y',
    '^main',
  ]) {
    expect([text, await find(text)]).toEqual([text, undefined]);
  }
  expect(await findRevision(repo, 'v1')).toMatchObject({ oid: tag, type: 'tag', ref: 'refs/tags/v1' });
  expect(await isAncestor(repo, root, oid)).toBe(true);
  expect(await isAncestor(repo, oid, root)).toBe(false);
  expect(await findMergeBase(repo, oid, root)).toBe(root);
});

test('an empty repository has a default branch without a commit, and nothing to find', async () => {
  const repo = await newRepo();
  expect(await getDefaultBranch(repo)).toEqual({ name: 'main' });
  expect(await findRevision(repo, 'HEAD')).toBeUndefined();
  expect(await listRefs(repo, { prefix: 'refs/' })).toEqual({ rows: [], total: 0 });
  await setDefaultBranch(repo, '--exec=x');
  expect(await getDefaultBranch(repo)).toEqual({ name: '--exec=x' });
  expect(await kindOf(setDefaultBranch(repo, 'a..b'))).toBe('invalid');
});

test('a detached HEAD is no default branch', async () => {
  const repo = await newRepo();
  const oid = await commit(repo, { a: 'x' });
  await git(repo.path, 'update-ref', '--no-deref', 'HEAD', oid);
  expect(await getDefaultBranch(repo)).toBeUndefined();
  await setDefaultBranch(repo, 'main');
  expect(await getDefaultBranch(repo)).toEqual({ name: 'main' });
});
