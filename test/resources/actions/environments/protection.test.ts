import { expect, test } from 'vitest';
import { asId } from '#lib/id.ts';
import { type Attempt, mayDeploy, type Protection, waitsFor } from '#resources/actions/environments/protection.ts';

const now = new Date('2026-01-01T12:00:00Z');
const [ada, bob, eve] = [1, 2, 3].map((id) => asId<'accounts'>(id)) as [never, never, never];
const [ops, other] = [11, 12].map((id) => asId<'teams'>(id)) as [never, never];
const [scanner, gate] = [21, 22].map((id) => asId<'apps'>(id)) as [never, never];

const nothingProtected = { isAny: false, isThis: false };
const open: Protection = { deploys: 'all', policies: [], waitMinutes: 0, review: undefined, apps: [] };
const attempt: Attempt = {
  ref: 'refs/heads/main',
  protectedBranches: nothingProtected,
  actor: ada,
  at: now,
  approvals: [],
  passed: [],
};
const nothing = { state: 'waiting', until: undefined, review: undefined, apps: [] };

test('an environment without protection takes everything at once', () => {
  for (const ref of ['refs/heads/main', 'refs/tags/v1', undefined])
    expect(waitsFor(open, { ...attempt, ref }, now)).toEqual({ state: 'ready' });
});

test('the timer begins when the deployment is asked for, and ends to the second', () => {
  const protection = { ...open, waitMinutes: 30 };
  const until = new Date('2026-01-01T12:30:00Z');
  expect(waitsFor(protection, attempt, now)).toEqual({ ...nothing, until });
  expect(waitsFor(protection, attempt, new Date(until.getTime() - 1))).toEqual({ ...nothing, until });
  expect(waitsFor(protection, attempt, until)).toEqual({ state: 'ready' });
});

test('one approval is enough, by a person who is named or is in a team that is', () => {
  const review = { users: [bob], teams: [ops], preventSelfReview: false };
  const protection = { ...open, review };
  const missing = { ...nothing, review: { users: [bob], teams: [ops], except: undefined } };
  const after = (...approvals: Attempt['approvals']) => waitsFor(protection, { ...attempt, approvals }, now);
  expect(after()).toEqual(missing);
  expect(after({ by: eve, teams: [] })).toEqual(missing);
  expect(after({ by: eve, teams: [other] })).toEqual(missing);
  expect(after({ by: bob, teams: [] })).toEqual({ state: 'ready' });
  expect(after({ by: eve, teams: [other, ops] })).toEqual({ state: 'ready' });
});

test('who asks for a deployment approves it, unless that is prevented', () => {
  const review = { users: [ada, bob], teams: [ops], preventSelfReview: false };
  const own = { ...attempt, approvals: [{ by: ada, teams: [ops] }] };
  expect(waitsFor({ ...open, review }, own, now)).toEqual({ state: 'ready' });
  const strict = { ...open, review: { ...review, preventSelfReview: true } };
  expect(waitsFor(strict, own, now)).toEqual({ ...nothing, review: { users: [ada, bob], teams: [ops], except: ada } });
  expect(waitsFor(strict, { ...own, actor: bob }, now)).toEqual({ state: 'ready' });
});

test('where nobody is left who could approve, there is no way on', () => {
  const review = { users: [], teams: [], preventSelfReview: false };
  const approvals = [{ by: bob, teams: [ops] }];
  expect(waitsFor({ ...open, review }, { ...attempt, approvals }, now)).toMatchObject({ state: 'waiting' });
});

test('all apps must let it go on, and all of this is waited for at once', () => {
  const protection: Protection = {
    ...open,
    waitMinutes: 1,
    review: { users: [bob], teams: [], preventSelfReview: false },
    apps: [scanner, gate],
  };
  expect(waitsFor(protection, { ...attempt, passed: [gate] }, now)).toMatchObject({
    state: 'waiting',
    until: new Date('2026-01-01T12:01:00Z'),
    review: { users: [bob] },
    apps: [scanner],
  });
  const done = { ...attempt, passed: [scanner, gate], approvals: [{ by: bob, teams: [] }] };
  expect(waitsFor(protection, done, new Date('2026-01-01T12:01:00Z'))).toEqual({ state: 'ready' });
});

test.each<[Protection['policies'], string[], (string | undefined)[]]>([
  [[], [], ['refs/heads/main', 'refs/tags/v1', undefined]],
  [[{ type: 'branch', name: 'main' }], ['refs/heads/main'], ['refs/tags/main', 'refs/heads/main2', undefined]],
  [[{ type: 'tag', name: 'v*' }], ['refs/tags/v1'], ['refs/heads/v1', 'refs/tags/a/v1']],
  [
    [
      { type: 'branch', name: 'release/*' },
      { type: 'tag', name: '**/*' },
    ],
    ['refs/heads/release/1', 'refs/tags/a/b/c'],
    ['refs/heads/release/1/2', 'refs/heads/main'],
  ],
  [[{ type: 'branch', name: 'refs/pull/*/merge' }], ['refs/pull/7/merge'], ['refs/pull/7/head', 'refs/heads/merge']],
  [[{ type: 'branch', name: '[' }], [], ['refs/heads/[']],
])('patterns %j', (policies, taken, refused) => {
  const takes = (ref: string | undefined) => mayDeploy({ deploys: 'custom', policies }, ref, nothingProtected);
  expect(taken.filter((ref) => !takes(ref))).toEqual([]);
  expect(refused.filter(takes)).toEqual([]);
  if (taken.length === 0) expect(waitsFor({ ...open, deploys: 'custom', policies }, attempt, now)).toEqual({ state: 'refused' });
});

test('protected branches alone are taken, or all branches while none is protected', () => {
  const takes = (ref: string | undefined, isAny: boolean, isThis: boolean) =>
    mayDeploy({ deploys: 'protected', policies: [] }, ref, { isAny, isThis });
  expect(takes('refs/heads/main', true, true)).toBe(true);
  expect(takes('refs/heads/main', true, false)).toBe(false);
  expect(takes('refs/heads/main', false, false)).toBe(true);
  for (const ref of ['refs/tags/v1', 'refs/pull/1/merge', undefined]) expect(takes(ref, false, false)).toBe(false);
});
