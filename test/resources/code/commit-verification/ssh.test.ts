import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openObjects } from '#git/objects/objects.ts';
import { writeObjects } from '#git/objects/write-objects.ts';
import { repoOf } from '#git/store.ts';
import { verifyCommits } from '#resources/code/commit-verification/index.ts';
import { stateEmails } from '#resources/identity/accounts/index.ts';
import { sshKeygen } from '#test/git/signatures/support.ts';
import { scratch } from '#test/git/support.ts';
import { addCommit, diskOf, person, point } from '#test/resources/code/commits/setting.ts';
import { heard } from '#test/resources/platform/webhooks/listening.ts';
import { receiver } from '#test/support/receiver.ts';
import { world } from '#test/support/world.ts';
import { bySsh, clone } from './signing.ts';

const w = await world({ vocabulary: 'github' });
const { as, user, repo: newRepo, db, clock, settle, statements, gitProcesses } = w;

/** The one account with the address that git commits by. */
const ada = await user('ada', { email: 'ada@example.org' });
const client = await as(ada);
const addKey = async (line: string): Promise<number> => {
  const { status, body } = await client.post('/user/ssh_signing_keys', { key: line });
  expect(status).toBe(201);
  return body.id;
};
const pathOf = ({ name }: { name: string }) => `/repos/ada/${name}`;

test.each([
  ['ed25519', []],
  ['ecdsa', ['-b', '256']],
  ['ecdsa', ['-b', '384']],
  ['ecdsa', ['-b', '521']],
  ['rsa', ['-b', '2048']],
])('commits and tags that git signs by a key of the type %s %j are verified', async (type, more) => {
  const repo = await newRepo(ada);
  const key = await sshKeygen(type, ...more);
  const signer = await clone(w, repo, bySsh(key.file));
  const oid = await signer.commit();
  const tag = await signer.tag('v1');
  await signer.push('HEAD:refs/heads/main', 'v1');
  const show = async () => {
    const { body } = await client.get(`${pathOf(repo)}/commits/${oid}`);
    const { body: shownTag } = await client.get(`${pathOf(repo)}/git/tags/${tag}`);
    return [body.commit.verification, shownTag.verification];
  };
  for (const one of await show()) expect(one).toMatchObject({ verified: false, reason: 'unknown_key', verified_at: null });
  await addKey(key.line);
  const [commit, ofTag] = await show();
  const valid = { verified: true, reason: 'valid', verified_at: '2026-01-01T00:00:00Z' };
  expect(commit).toMatchObject(valid);
  expect(commit.payload).toMatch(/^tree [0-9a-f]{40}\nauthor Ada[\s\S]*\n\nChange 1\n$/);
  expect(commit.signature).toMatch(/^-----BEGIN SSH SIGNATURE-----\n[\s\S]*-----END SSH SIGNATURE-----$/);
  expect(ofTag).toMatchObject(valid);
  expect(ofTag.payload).toMatch(/^object [0-9a-f]{40}\ntype commit\ntag v1\ntagger Ada[\s\S]*\n\nRelease v1\n$/);
});

const signed = async (config: Record<string, string> = {}) => {
  const repo = await newRepo(ada);
  const key = await sshKeygen('ed25519');
  const signer = await clone(w, repo, { ...bySsh(key.file), ...config });
  return { repo, key, signer, base: pathOf(repo) };
};

const reasonOf = async (base: string, oid: string): Promise<string> =>
  (await client.get(`${base}/commits/${oid}`)).body.commit.verification.reason;

test('everything that shows a commit shows it verified', async () => {
  const { key, signer, base } = await signed();
  const first = await signer.commit();
  await signer.push('HEAD:refs/heads/main');
  await signer.run('checkout', '-q', '-b', 'topic');
  const oid = await signer.commit();
  await signer.push('topic');
  await addKey(key.line);
  const of = (commits: { sha: string; commit: { verification: { verified: boolean } } }[]) =>
    commits.map(({ sha, commit }) => [sha, commit.verification.verified]);
  expect(of((await client.get(`${base}/commits?sha=topic`)).body)).toEqual([
    [oid, true],
    [first, true],
  ]);
  const compared = (await client.get(`${base}/compare/main...topic`)).body;
  expect(of([compared.base_commit, ...compared.commits])).toEqual([
    [first, true],
    [oid, true],
  ]);
  expect((await client.get(`${base}/git/commits/${oid}`)).body.verification).toMatchObject({ verified: true });
  expect(of([(await client.get(`${base}/branches/topic`)).body.commit])).toEqual([[oid, true]]);
  const pull = await client.post(`${base}/pulls`, { title: 'Change', head: 'topic', base: 'main' });
  expect(of((await client.get(`${base}/pulls/${pull.body.number}/commits`)).body)).toEqual([[oid, true]]);
  const timeline = (await client.get(`${base}/issues/${pull.body.number}/timeline`)).body;
  expect(timeline.find(({ event }: { event: string }) => event === 'committed')).toMatchObject({
    sha: oid,
    verification: { verified: true, reason: 'valid' },
  });
  const target = await receiver();
  await client.post(`${base}/hooks`, { config: { url: target.url, content_type: 'json' }, events: ['status'] });
  await settle();
  target.requests.length = 0;
  await client.post(`${base}/statuses/${oid}`, { state: 'success' });
  expect((await heard(w, target)).status).toMatchObject({
    commit: { commit: { verification: { verified: true, reason: 'valid' } } },
  });
  // A commit through the API isn't signed by the server.
  const file = await client.put(`${base}/contents/more`, { message: 'Add', content: '' });
  expect(file.body.commit.verification).toMatchObject({ verified: false, reason: 'unsigned', signature: null, payload: null });
});

test('a commit that is made through the API with a signature is verified', async () => {
  const { key, signer, base } = await signed();
  const oid = await signer.commit();
  await signer.push('HEAD:refs/heads/main');
  await addKey(key.line);
  const { tree, author, committer, message, verification } = (await client.get(`${base}/git/commits/${oid}`)).body;
  const wanted = { tree: tree.sha, parents: [], author, committer, message: `${message}\n`, signature: verification.signature };
  const made = await client.post(`${base}/git/commits`, wanted);
  expect(made).toMatchObject({ status: 201, body: { sha: oid, verification: { verified: true } } });
  const other = await client.post(`${base}/git/commits`, { ...wanted, message: 'Something else' });
  expect(other).toMatchObject({ status: 201, body: { verification: { verified: false, reason: 'invalid', verified_at: null } } });
});

test('what was verified stays so without its key, in a fork too, at the time when it was pushed', async () => {
  const { repo, key, signer, base } = await signed();
  const id = await addKey(key.line);
  const oid = await signer.commit();
  const tag = await signer.tag('v1');
  await signer.push('HEAD:refs/heads/main', 'v1');
  await settle();
  await client.delete(`/user/ssh_signing_keys/${id}`);
  const before = clock.now;
  clock.now = new Date('2026-03-03T00:00:00Z');
  const kept = { verified: true, reason: 'valid', verified_at: '2026-01-01T00:00:00Z' };
  expect((await client.get(`${base}/commits/${oid}`)).body.commit.verification).toMatchObject(kept);
  expect((await client.get(`${base}/git/tags/${tag}`)).body.verification).toMatchObject(kept);
  const later = await signer.commit();
  await signer.push('HEAD:refs/heads/main');
  await settle();
  expect(await reasonOf(base, later)).toBe('unknown_key');
  const grace = await user();
  const theirs = await as(grace);
  expect((await theirs.post(`${base}/forks`)).status).toBe(202);
  const inFork = await theirs.get(`/repos/${grace.login}/${repo.name}/commits/${oid}`);
  expect(inFork.body.commit.verification).toMatchObject(kept);
  clock.now = before;
});

test('the address decides whose signature it is', async () => {
  const { repo, key, signer, base } = await signed();
  const grace = await user('grace', { email: 'grace@example.org' });
  await addKey(key.line);
  const tip = await signer.commit();
  await signer.push('HEAD:refs/heads/main');
  const gitRepository = diskOf(w, repo);
  await using reader = await openObjects(gitRepository);
  const own = await reader.getCommit(tip);
  const made = (email: string) => {
    const committer = { ...person('Ada', 1), email };
    return addCommit(gitRepository, { files: { a: email }, parents: [tip], committer, signature: own.signature ?? '' });
  };
  const noreply = `${ada.id}+ada@users.noreply.127.0.0.1`;
  const emails = ['ada@example.org', 'ADA@Example.org', noreply, 'grace@example.org', 'nobody@example.org', ''];
  const oids = await Promise.all(emails.map(made));
  const reasons = async () => Promise.all(oids.map((oid) => reasonOf(base, oid)));
  expect(await reasons()).toEqual(['invalid', 'invalid', 'invalid', 'bad_email', 'no_user', 'no_user']);
  await w.change((scope) => stateEmails(scope, ada.id, { emails: ['nobody@example.org'], now: clock.now }));
  expect((await reasons())[4]).toBe('unverified_email');
  // Others who state it change nothing, since they haven't the key.
  await w.change((scope) => stateEmails(scope, grace.id, { emails: ['somebody@example.org'], now: clock.now }));
  expect(await reasonOf(base, await made('somebody@example.org'))).toBe('no_user');
});

test('a key that signs in does not sign, and nobody else’s key does', async () => {
  const { key, signer, base } = await signed();
  const oid = await signer.commit();
  await signer.push('HEAD:refs/heads/main');
  expect((await client.post('/user/keys', { key: key.line })).status).toBe(201);
  expect(await reasonOf(base, oid)).toBe('unknown_key');
  const other = await as(await user());
  expect((await other.post('/user/ssh_signing_keys', { key: key.line })).status).toBe(201);
  expect(await reasonOf(base, oid)).toBe('bad_email');
});

test('what is signed are bytes: another encoding, other headers, and no text at all', async () => {
  const { repo, key, signer, base } = await signed({ 'i18n.commitEncoding': 'ISO-8859-1' });
  await addKey(key.line);
  const message = join(await scratch(), 'message');
  await writeFile(message, Buffer.from('Gr\xfc\xdfe \xff\x80\n', 'latin1'));
  await signer.commit();
  await signer.run('commit', '-q', '--allow-empty', '-S', '-F', message);
  const oid = await signer.run('rev-parse', 'HEAD');
  await signer.run('tag', '-s', '-F', message, 'v1');
  const tag = await signer.run('rev-parse', 'refs/tags/v1');
  await signer.push('HEAD:refs/heads/main', 'v1');
  expect(await reasonOf(base, oid)).toBe('valid');
  expect((await client.get(`${base}/git/tags/${tag}`)).body.verification.reason).toBe('valid');
  // A header for repositories with other names isn't part of what is signed; any other one is.
  await using reader = await openObjects(diskOf(w, repo));
  const { data } = await reader.get(oid);
  const text = data.toString('latin1');
  const write = async (changed: string) => {
    const [made = ''] = await writeObjects(diskOf(w, repo), [{ type: 'commit', data: Buffer.from(changed, 'latin1') }]);
    return made;
  };
  expect(await reasonOf(base, await write(text.replace('gpgsig ', 'gpgsig-sha256 x\n y\ngpgsig ')))).toBe('valid');
  expect(await reasonOf(base, await write(text.replace('gpgsig ', 'gpgsigs x\ngpgsig ')))).toBe('invalid');
  expect(await reasonOf(base, await write(text.replace('gpgsig ', 'other x\ngpgsig ')))).toBe('invalid');
  const [, gpgsig = ''] = /^(gpgsig [\s\S]*?\n)(?! )/m.exec(text) ?? [];
  expect(await reasonOf(base, await write(text.replace(gpgsig, gpgsig + gpgsig)))).toBe('malformed_signature');
  expect(await reasonOf(base, await write(text.replace('gpgsig', 'gpgsig-sha256')))).toBe('unsigned');
});

test('damaged, foreign and giant signatures are told from each other', async () => {
  const { repo, base, signer } = await signed();
  const tip = await signer.commit();
  await signer.push('HEAD:refs/heads/main');
  const signatures = [
    ['-----BEGIN SSH SIGNATURE-----', 'malformed_signature'],
    ['-----BEGIN SSH SIGNATURE-----\nU1NIU0lH\n-----END SSH SIGNATURE-----', 'malformed_signature'],
    [`-----BEGIN SSH SIGNATURE-----\n${'A'.repeat(400_000)}\n-----END SSH SIGNATURE-----`, 'malformed_signature'],
    ['-----BEGIN PGP SIGNATURE-----\n\niQ==\n-----END PGP SIGNATURE-----', 'malformed_signature'],
    ['-----BEGIN PGP MESSAGE-----\n\niQ==\n-----END PGP MESSAGE-----', 'malformed_signature'],
    ['-----BEGIN SIGNED MESSAGE-----\nMII=\n-----END SIGNED MESSAGE-----', 'unknown_signature_type'],
    ['signed by me', 'unknown_signature_type'],
  ];
  for (const [signature = '', reason] of signatures) {
    const oid = await addCommit(diskOf(w, repo), { files: { a: 'a' }, parents: [tip], signature });
    expect([signature.slice(0, 40), await reasonOf(base, oid)]).toEqual([signature.slice(0, 40), reason]);
  }
});

test('a list takes as many statements for thirty signed commits as for one, and none more for unsigned ones', async () => {
  const { repo, key, signer, base } = await signed();
  const id = await addKey(key.line);
  for (let count = 0; count < 30; count++) await signer.commit();
  await signer.push('HEAD:refs/heads/main');
  await settle();
  const plain = await newRepo(ada);
  await point(w, plain, 'refs/heads/main', await addCommit(diskOf(w, plain), { files: { a: 'a' } }));
  const unsigned = await statements(ada, `${pathOf(plain)}/commits`);
  const counts = [await statements(ada, `${base}/commits?per_page=1`), await statements(ada, `${base}/commits?per_page=30`)];
  expect(counts).toEqual([unsigned + 1, unsigned + 1]);
  // Not verified: keys and accounts are looked for, once for all.
  await db.deleteFrom('verified_signatures').where('repository_id', '=', repo.id).execute();
  expect((await client.delete(`/user/ssh_signing_keys/${id}`)).status).toBe(204);
  const judged = [await statements(ada, `${base}/commits?per_page=1`), await statements(ada, `${base}/commits?per_page=30`)];
  expect(judged).toEqual([unsigned + 3, unsigned + 3]);
  expect(await gitProcesses(ada, `${base}/commits?per_page=30`)).not.toContain('gpg');
});

test('commits of a push that isn’t accepted yet are judged without a row', async () => {
  const { repo, key, signer } = await signed();
  await addKey(key.line);
  const oid = await signer.commit();
  await signer.push('HEAD:refs/heads/main');
  const gitRepository = repoOf(w.hearth.services.git, repo.id);
  await using reader = await openObjects(gitRepository);
  const commits = await reader.getCommits([oid]);
  await db.deleteFrom('verified_signatures').execute();
  await w.unchanged(['verified_signatures'], async () => {
    const context = { db, git: w.hearth.services.git, host: '127.0.0.1', now: clock.now };
    const found = await verifyCommits(context, repo.id, commits);
    expect(found.get(oid)).toMatchObject({ verified: true, reason: 'valid' });
  });
});
