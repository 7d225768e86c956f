// Which pull request a result of a search belongs to.
import { expect, test } from 'vitest';
import { asId } from '#lib/id.ts';
import type { ProposalRow } from '#resources/actions/dependency-updates/store.ts';
import { subjectsOf } from '#resources/actions/dependency-updates/subjects.ts';

const update = { ecosystem: 'npm', directory: '/', target_branch: 'main' } as const;
const dependency = (from: string, to = '9.0.0', name = 'left') => ({ name, from, to, type: 'production' as const });
const result = (from: string, to?: string) => ({ dependencies: [dependency(from, to)] });

const row = (subject: string, from: string, more: Partial<ProposalRow> = {}): ProposalRow => ({
  ...update,
  issue_id: asId(1),
  repository_id: asId(1),
  kind: 'version',
  group_name: null,
  dependencies: [dependency(from)],
  subject,
  branch: subject,
  head_sha: 'a'.repeat(40),
  paths: [],
  options: {},
  is_open: true,
  ...more,
});

const rows = [row('left', '1.0.0'), row('left from 2.0.0', '2.0.0')];

test.each<[string, ReturnType<typeof result>[], ProposalRow[], (string | undefined)[]]>([
  ['one version', [result('1.0.0')], [], ['left']],
  ['two versions', [result('1.0.0'), result('2.0.0')], [], ['left', 'left from 2.0.0']],
  ['the same version twice', [result('1.0.0'), result('1.0.0', '8.0.0')], [], ['left', undefined]],
  ['two that are open', [result('2.0.0'), result('1.0.0')], rows, ['left from 2.0.0', 'left']],
  ['one of two that are open', [result('2.0.0')], rows, ['left from 2.0.0']],
  ['one that moved within its major version', [result('2.3.0')], rows, ['left from 2.0.0']],
  ['one that is new beside two', [result('3.0.0')], rows, ['left from 3.0.0']],
  ['one that moved to another major version', [result('3.0.0')], [row('left', '1.0.0')], ['left']],
  ['two, of which one is open', [result('3.0.0'), result('4.0.0')], [row('left', '4.0.0')], ['left from 3.0.0', 'left']],
  ['one that is open for another folder', [result('1.0.0')], [row('left from 1.0.0', '1.0.0', { directory: '/a' })], ['left']],
])('%s', (_, results, open, subjects) => {
  expect(subjectsOf(results, open, update)).toEqual(subjects);
});

test('a group has one pull request', () => {
  const grouped = (from: string) => ({ group: 'both', dependencies: [dependency(from), dependency(from, '9.0.0', 'right')] });
  expect(subjectsOf([grouped('1.0.0'), grouped('2.0.0')], [], update)).toEqual(['group both', undefined]);
  const open = row('group both', '1.0.0', { group_name: 'both' });
  expect(subjectsOf([grouped('3.0.0')], [open], update)).toEqual(['group both']);
});
