import { expect, test } from 'vitest';
import { patchedFiles } from '#git/history/apply-patch.ts';
import { openObjects } from '#git/objects/objects.ts';
import { patchOf } from '#test/resources/actions/dependency-updates/setting.ts';
import { commit, git, newRepo } from './support.ts';

const added = (path: string, text = 'a', mode = '100644'): string =>
  `diff --git a/${path} b/${path}\nnew file mode ${mode}\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+${text}\n`;

const removed = [
  'diff --git a/a.json b/a.json',
  'deleted file mode 100644',
  '--- a/a.json',
  '+++ /dev/null',
  '@@ -1 +0,0 @@',
  '-one',
  '\\ No newline at end of file',
  '',
].join('\n');

/** A repository with two files, and what patches of it become. */
async function setting() {
  const repo = await newRepo();
  const oid = await commit(repo, { 'a.json': 'one', 'folder/b.json': 'two' });
  const apply = (patch: string, mayChange: (path: string) => boolean = (path) => path.endsWith('.json')) =>
    patchedFiles(repo, { commit: oid, patch, mayChange });
  return { repo, oid, apply };
}

test('a patch changes and adds files', async () => {
  const { repo, apply } = await setting();
  const patched = await apply(patchOf('a.json', 'one', 'three') + added('folder/c.json'));
  if ('problem' in patched) throw new Error(patched.problem);
  expect(patched.changes).toMatchObject([
    { path: 'a.json', mode: '100644' },
    { path: 'folder/c.json', mode: '100644' },
  ]);
  await using reader = await openObjects(repo);
  const [first] = patched.changes;
  const oid = first && 'oid' in first ? first.oid : null;
  expect(oid && (await reader.get(oid, { type: 'blob' })).data.toString()).toBe('three');
});

test.each([
  ['no patch', 'nothing'],
  ['one that does not fit', patchOf('a.json', 'two', 'three')],
  ['one of a file that is not there', patchOf('none.json', 'one', 'two')],
  ['one of another file', added('c.txt')],
  ['one that adds a program', added('c.json', 'a', '100755')],
  ['one that adds a link', added('c.json', '/etc/passwd', '120000')],
  ['one that makes a folder of a file', added('a.json/c.json')],
  ['one that leads out of the repository', added('../c.json')],
  ['one that removes a file', removed],
  ['one that changes a mode', 'diff --git a/a.json b/a.json\nold mode 100644\nnew mode 100755\n'],
  ['one that renames a file', 'diff --git a/a.json b/d.json\nsimilarity index 100%\nrename from a.json\nrename to d.json\n'],
])('%s is refused', async (_what, patch) => {
  const { apply } = await setting();
  expect(await apply(patch)).toEqual({ problem: expect.any(String) });
});

test('the present files stay as they are', async () => {
  const { repo, oid, apply } = await setting();
  await apply(patchOf('a.json', 'one', 'three'));
  expect((await git(repo.path, 'show', `${oid}:a.json`)).trim()).toBe('one');
});
