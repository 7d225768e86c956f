import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { sentences } from '#console/pages/collaboration/timeline.ts';
import { issueEventKinds } from '#resources/collaboration/issues/timeline/event-kinds.ts';
import { reviewSetting } from '#test/resources/collaboration/reviews/setting.ts';
import { pagesAs, sessionCookie } from '#test/support/page-client.ts';
import { world } from '#test/support/world.ts';

const w = await world();

const later = () => {
  w.clock.now = new Date(w.clock.now.getTime() + 1_000);
};

test('every kind of event has a sentence', () => {
  expect(issueEventKinds.filter((kind) => !Object.hasOwn(sentences, kind))).toEqual([]);
  expect(Object.keys(sentences).filter((kind) => !(issueEventKinds as readonly string[]).includes(kind))).toEqual([]);
});

test('an issue is shown with its timeline and what stands beside it', async () => {
  const [ada, bob] = [await w.user(), await w.user()];
  const repo = await w.repo(ada);
  const [client, asBob] = [await w.as(ada), await w.as(bob)];
  const base = `/repos/${ada.login}/${repo.name}`;
  await client.post(`${base}/milestones`, { title: 'First' });
  const { body: sub } = await client.post(`${base}/issues`, { title: 'A part' });
  const { body: blocker } = await client.post(`${base}/issues`, { title: 'Something before' });
  const body = `- [x] look\n- [ ] mend\n\nSee #1 and @${bob.login}.`;
  const { body: issue } = await client.post(`${base}/issues`, { title: 'It leaks', body, labels: ['oil'], milestone: 1 });
  const of = `${base}/issues/${issue.number}`;
  later();
  const { body: comment } = await asBob.post(`${of}/comments`, { body: 'Here **too**.' });
  await client.post(`${base}/issues/comments/${comment.id}/reactions`, { content: 'heart' });
  later();
  await asBob.patch(`${base}/issues/comments/${comment.id}`, { body: 'Here **as well**.' });
  await client.post(`${of}/sub_issues`, { sub_issue_id: sub.id });
  await client.post(`${of}/dependencies/blocked_by`, { issue_id: blocker.id });
  await client.patch(of, { title: 'It leaks oil' });
  await client.post(`${base}/issues`, { title: 'Elsewhere', body: `As in #${issue.number}` });
  const secret = await w.repo(ada, { visibility: 'private' });
  await client.post(`/repos/${ada.login}/${secret.name}/issues`, {
    title: 'Hidden title',
    body: `As in ${ada.login}/${repo.name}#${issue.number}`,
  });
  await client.put(`${of}/lock`, { lock_reason: 'resolved' });
  const path = `/${ada.login}/${repo.name}/issues/${issue.number}`;
  const shown = (await (await pagesAs(w, bob)).get(path)).text;
  const wanted = [
    `id="issue-${issue.id}"`,
    `id="issuecomment-${comment.id}"`,
    '<strong>as well</strong>',
    'edited',
    'heart: ',
    '1 of 2 done',
    'added the label',
    'A part',
    'Blocked by',
    'Something before',
    'changed the title from',
    'mentioned this in',
    'Elsewhere',
    'locked the conversation as resolved',
    'only people with write access may comment',
    '0 of 1 closed',
    'Owner',
  ];
  for (const text of wanted) expect(shown, text).toContain(text);
  expect(shown).not.toContain('Hidden title');
  const anchors = [...shown.matchAll(/id="(event-\d+)"/g)].map(([, id]) => id);
  expect(new Set(anchors).size).toBe(anchors.length);
  expect((await (await pagesAs(w, ada)).get(path)).text).toContain('Hidden title');
  expect((await (await pagesAs(w)).get(path)).text).not.toContain('Hidden title');
});

test('an issue takes the same few statements with one comment and with a hundred, which are few bytes', async () => {
  const [ada, bob] = [await w.user(), await w.user()];
  const repo = await w.repo(ada, { visibility: 'private' });
  await w.collaborator(repo, bob, 'write');
  const [client, asBob] = [await w.as(ada), await w.as(bob)];
  const base = `/repos/${ada.login}/${repo.name}`;
  await client.post(`${base}/milestones`, { title: 'First' });
  const body = `See #1, as @${bob.login} says.`;
  await client.post(`${base}/issues`, { title: 'It leaks', body, labels: ['oil'], milestone: 1, assignees: [bob.login] });
  const say = (at: number) =>
    (at % 2 === 0 ? client : asBob).post(`${base}/issues/1/comments`, { body: `Number ${at}: ${body}` });
  await say(0);
  await say(1);
  await client.post(`${base}/issues`, { title: 'Elsewhere', body: 'As in #1' });
  const path = `/${ada.login}/${repo.name}/issues/1`;
  const pages = await pagesAs(w, ada);
  const statements = await pages.statements(path);
  await Promise.all(Array.from({ length: 94 }, (_, at) => say(at + 2)));
  expect(await pages.statements(path)).toBe(statements);
  expect(statements).toBeLessThanOrEqual(mostStatements);
  const cookie = await sessionCookie(w, ada);
  const { rawPayload, headers } = await w.hearth.app.inject({
    url: path,
    headers: { cookie, accept: 'text/html', 'accept-encoding': 'gzip' },
  });
  expect(headers['content-encoding']).toBe('gzip');
  expect(rawPayload.length).toBeLessThan(60_000);
  expect(gunzipSync(rawPayload).toString()).toContain('Number 95');
  await Promise.all(Array.from({ length: 63 }, (_, at) => say(at + 96)));
  await say(159);
  const long = (await pages.get(path)).text;
  expect(long).toContain('Number 0:');
  expect(long).toContain('Number 159:');
  const left = Number(/>(\d+) more</.exec(long)?.[1]);
  expect(left).toBeGreaterThan(0);
  expect(long.match(/id="issuecomment-/g)?.length).toBe(160 - left);
  const [first, second] = [(await pages.get(`${path}?number=1`)).text, (await pages.get(`${path}?number=2`)).text];
  expect(first.match(/id="issuecomment-/g)?.length).toBeGreaterThan(75);
  expect(first).not.toContain('Number 159:');
  expect(second).toContain('Number 159:');
});

/** What an issue's page takes, whatever is on it. */
const mostStatements = 12;

test('a pull request says what keeps it from being merged, and whose turn it is', async () => {
  const { ada, client, asBob, base, pull, number, branch, head } = await reviewSetting(w);
  const path = `${base.replace('/repos', '')}/pull/${number}`;
  const pages = await pagesAs(w, ada);
  const text = async (address = path) => (await pages.get(address)).text;
  expect(await text()).toContain('It can be merged');
  await client.put(`${base}/branches/main/protection`, {
    required_status_checks: { strict: false, contexts: ['build', 'test'] },
    enforce_admins: true,
    required_pull_request_reviews: { required_approving_review_count: 1 },
    restrictions: null,
    required_conversation_resolution: true,
  });
  await client.post(`${base}/statuses/${head}`, { state: 'failure', context: 'build', description: 'Broke' });
  later();
  await asBob.post(`${pull}/reviews`, {
    comments: [{ path: 'engine.txt', line: 20, body: 'Why?' }],
    body: 'Hm.',
    event: 'COMMENT',
  });
  const held = await text();
  const wanted = [
    'It can’t be merged yet',
    'Required status check &quot;build&quot; is failing',
    'The author’s turn',
    'At least 1 approving review is required',
    'The reviewers’ turn',
    'All conversations on code must be resolved.',
    'protection of main',
    'It has no conflicts with its base.',
    'Some checks failed',
    'engine.txt',
    'Why?',
    'twenty',
    'pullrequestreview-',
  ];
  for (const one of wanted) expect(held, one).toContain(one);
  const checks = await text(`${path}/checks`);
  expect(checks).toContain('build');
  expect(checks).toContain('Broke');
  const { body: run } = await client.post(`${base}/pulls`, { title: 'Draft', head: branch, base: 'main', draft: true });
  expect(run.message).toBeDefined(); // one is open already
  await client.patch(pull, { draft: true });
  expect(await text()).toContain('It is a draft');
  await client.patch(pull, { state: 'closed' });
  expect(await text()).toContain('not merged');
  expect((await (await pagesAs(w)).get(path)).status).toBe(200);
  expect((await pages.get(path.replace('/pull/', '/issues/'))).headers.get('location')).toBe(path);
});

test('the page of a pull request takes as many statements with many reviews as with one', async () => {
  const { ada, asBob, base, pull, number } = await reviewSetting(w);
  const path = `${base.replace('/repos', '')}/pull/${number}`;
  const pages = await pagesAs(w, ada);
  const review = () =>
    asBob.post(`${pull}/reviews`, { comments: [{ path: 'engine.txt', line: 20, body: 'Why?' }], body: 'Hm.', event: 'APPROVE' });
  await review();
  const statements = await pages.statements(path);
  for (let at = 0; at < 10; at++) {
    later();
    await review();
  }
  expect(await pages.statements(path)).toBe(statements);
});
