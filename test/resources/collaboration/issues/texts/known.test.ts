// Teams and commits that texts name, as links.

import { expect, test } from 'vitest';
import type { Account } from '#access/viewer.ts';
import { countStatements } from '#database/client.ts';
import { fixedValue } from '#lib/limits.ts';
import { issueTextLimits } from '#resources/collaboration/issues/limits.ts';
import { createTeam, setTeamMember } from '#resources/identity/teams/rules.ts';
import { commitFiles } from '#test/support/commit.ts';
import { fresh, world } from '#test/support/world.ts';

const w = await world();
const { as, user, org, member, repo, url, change, clock, fineGrained, statements, hearth } = w;

const html = { headers: { accept: 'application/vnd.service.html+json' } };
const team = (where: string, slug: string) =>
  `<a class="team-mention" href="${url}/orgs/${where}/teams/${slug}">@${where}/${slug}</a>`;
const commit = (where: string, sha: string, before = '') =>
  `<a class="commit-link" href="${url}/${where}/commit/${sha}">${before}<tt>${sha.slice(0, 7)}</tt></a>`;
const rendered = async (who: Account | string | undefined, text: string, context: string): Promise<string> =>
  (await (await as(who)).post('/markdown', { text, mode: 'gfm', context })).text;

/** An organization with a repository, a closed team and a secret one, both with a member. */
async function setting() {
  const [owner, insider, outsider, stranger] = [await user(), await user(), await user(), await user()];
  const acme = await org(owner);
  for (const one of [insider, outsider]) await member(acme, one);
  const engine = await repo(acme, { by: owner });
  const action = { by: owner.id, now: clock.now };
  await change(async (scope) => {
    for (const privacy of ['closed', 'secret'] as const) {
      const made = await createTeam(scope, { ...action, org: acme, wanted: { name: privacy, privacy } });
      await setTeamMember(scope, { ...action, team: made, user: insider, role: 'member' });
    }
  });
  return { owner, insider, outsider, stranger, acme, engine, full: `${acme.login}/${engine.name}` };
}

test('teams are linked for those who may see them', async () => {
  const { owner, insider, outsider, stranger, acme, full } = await setting();
  const [closed, secret] = [team(acme.login, 'closed'), team(acme.login, 'secret')];
  const text = `@${acme.login}/closed @${acme.login}/secret @${acme.login}/absent`;
  const words = text.split(' ');
  const links = (...shown: string[]) => `<p>${[...shown, ...words.slice(shown.length)].join(' ')}</p>\n`;
  expect(await rendered(owner, text, full)).toBe(links(closed, secret));
  expect(await rendered(insider, text, full)).toBe(links(closed, secret));
  expect(await rendered(outsider, text, full)).toBe(links(closed));
  for (const nobody of [stranger, undefined]) expect(await rendered(nobody, text, full)).toBe(links());
  const limited = await fineGrained(owner, acme, { issues: 'read' });
  expect(await rendered(limited, text, full)).toBe(links());
  expect(await rendered(await fineGrained(owner, acme, { members: 'read' }), text, full)).toBe(links(closed, secret));
  expect(await rendered(owner, text.toUpperCase(), full)).toContain(`>@${acme.login.toUpperCase()}/CLOSED</a>`);
});

test('commits are linked by their ids, whole or in part, in any repository', async () => {
  const { owner, stranger, engine, full } = await setting();
  const [first, second] = [await commitFiles(w, engine, { a: '1' }), await commitFiles(w, engine, { a: '2' })];
  const fork = await repo(stranger, { name: engine.name });
  const theirs = await commitFiles(w, fork, { b: '1' });
  const short = second.slice(0, 8);
  const text =
    `${first} ${short.toUpperCase()} ${full}@${short} ${stranger.login}@${theirs} \`${first}\` ${'f'.repeat(40)} ` +
    `${stranger.login}@${first}`;
  expect(await rendered(undefined, text, full)).toBe(
    `<p>${[
      commit(full, first),
      commit(full, second).replace(/(?<=<tt>)\w+/, (id) => id.toUpperCase()),
      commit(full, second, `${full}@`),
      commit(`${stranger.login}/${fork.name}`, theirs, `${stranger.login}@`),
      `<code>${first}</code>`,
      'f'.repeat(40),
      `${stranger.login}@${first}`,
    ].join(' ')}</p>\n`,
  );
  // Without a repository, only commits that name theirs are known.
  expect(await rendered(owner, `${first} ${full}@${first}`, '')).toBe(`<p>${first} ${commit(full, first, `${full}@`)}</p>\n`);
});

test('commits of repositories that the reader may not read are words, as those of absent ones', async () => {
  const owner = await user();
  const secret = await repo(owner, { visibility: 'private' });
  const sha = await commitFiles(w, secret, { a: '1' });
  const full = `${owner.login}/${secret.name}`;
  const text = `${sha} ${full}@${sha}`;
  expect(await rendered(owner, text, full)).toBe(`<p>${commit(full, sha)} ${commit(full, sha, `${full}@`)}</p>\n`);
  const without = await fineGrained(owner, owner, { issues: 'read' });
  for (const who of [without, await user(), undefined]) expect(await rendered(who, text, full)).toBe(`<p>${text}</p>\n`);
  const reads = await fineGrained(owner, owner, { contents: 'read' });
  expect(await rendered(reads, sha, full)).toBe(`<p>${commit(full, sha)}</p>\n`);
  const processes = () => hearth.services.git.readers.open();
  const costOf = async (context: string) => {
    const payload = { text: `${sha} @${owner.login}/absent`, mode: 'gfm', context };
    const before = processes();
    const { result, statements } = await countStatements(() =>
      hearth.app.inject({ method: 'POST', url: '/api/v3/markdown', payload }),
    );
    return { text: result.body, statements, processes: processes() - before };
  };
  expect(await costOf(full)).toEqual(await costOf(`${owner.login}/absent`));
});

test('of many repositories, the commits of the first are linked', async () => {
  const owner = await user();
  const most = fixedValue(issueTextLimits.repositories);
  const words: string[] = [];
  for (let n = 0; n <= most; n++) {
    const one = await repo(owner);
    words.push(`${owner.login}/${one.name}@${await commitFiles(w, one, { a: String(n) })}`);
  }
  const links = words.map((word) => commit(...(word.split('@') as [string, string]), `${word.split('@')[0]}@`));
  expect(await rendered(owner, words.join('\n'), '')).toBe(`<p>${[...links.slice(0, most), words[most]].join('<br />\n')}</p>\n`);
});

test('every reply with texts links teams and commits, for a page in as many statements as for one text', async () => {
  const { owner, acme, engine, full } = await setting();
  const sha = await commitFiles(w, engine, { a: '1' });
  const client = await as(owner);
  const path = `/repos/${full}`;
  const body = `@${acme.login}/closed ${sha} #1 @${owner.login}`;
  const expected = expect.stringContaining(`${team(acme.login, 'closed')} ${commit(full, sha)} `);
  const issue = await client.post(`${path}/issues`, { title: 'It stalls', body, assignees: [owner.login] }, html);
  const comment = await client.post(`${path}/issues/1/comments`, { body }, html);
  const changed = [
    issue,
    comment,
    await client.patch(`${path}/issues/1`, { title: 'a' }, html),
    await client.patch(`${path}/issues/comments/${comment.body.id}`, { body: `${body}.` }, html),
    await client.post(`${path}/issues/1/assignees`, { assignees: [owner.login] }, html),
    await client.delete(`${path}/issues/1/assignees`, { assignees: [] }, html),
    await client.get(`${path}/issues/1`, html),
    await client.get(`${path}/issues/comments/${comment.body.id}`, html),
  ];
  for (const [at, reply] of changed.entries()) expect(reply.body.body_html, `reply ${at}`).toEqual(expected);
  const lists = [
    `${path}/issues`,
    `/orgs/${acme.login}/issues?filter=created`,
    '/issues?filter=created',
    '/user/issues?filter=created',
    `${path}/issues/1/comments`,
    `${path}/issues/comments`,
    `${path}/issues/1/timeline`,
  ];
  for (const list of lists) {
    const { body: listed } = await client.get(list, html);
    expect(listed.find(({ body_html }: { body_html?: string }) => body_html)?.body_html, list).toEqual(expected);
  }
  await client.post(`${path}/issues`, { title: 'b', body }); // so that the timeline has a cross-reference
  // Somebody else than the reader is mentioned, whose account takes a statement.
  await client.post(`${path}/issues/1/comments`, { body: `${body} @${(await user(fresh('ada'))).login}` });
  const before = [];
  for (const list of lists) before.push(await statements(owner, list, html));
  const other = await repo(owner);
  const there = await commitFiles(w, other, { a: '2' });
  const more = `${body} ${owner.login}/${other.name}@${there} @${acme.login}/secret @${(await user(fresh('ada'))).login}`;
  for (let n = 0; n < 4; n++) {
    await client.post(`${path}/issues`, { title: 'b', body: more });
    await client.post(`${path}/issues/1/comments`, { body: more });
  }
  const after = [];
  for (const list of lists) after.push(await statements(owner, list, html));
  expect(after.map((count, at) => [lists[at], count])).toEqual(before.map((count, at) => [lists[at], count]));
});
