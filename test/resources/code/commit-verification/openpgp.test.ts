import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { openObjects } from '#git/objects/objects.ts';
import type { Commit } from '#git/objects/parse-commit.ts';
import { parseOpenPgpSignature, verifyOpenPgp } from '#git/signatures/openpgp-signature.ts';
import { openGitStore } from '#git/store.ts';
import { parseOpenPgpKey } from '#lib/openpgp/key.ts';
import { dearmor, type Packet, readPackets } from '#lib/openpgp/packets.ts';
import { hasGpg, newGpg } from '#test/git/signatures/support.ts';
import { scratch } from '#test/git/support.ts';
import { armored, rsaPacket } from '#test/lib/openpgp/build.ts';
import { addCommit, diskOf } from '#test/resources/code/commits/setting.ts';
import { world } from '#test/support/world.ts';
import { byGpg, clone } from './signing.ts';

const w = await world();
const { as, user, repo: newRepo, db, settle, statements, gitProcesses } = w;
const ada = await user('ada', { email: 'ada@example.org' });
const client = await as(ada);

/** A repository, and a clone that signs by a new key with this user id. */
async function signing(userId = 'Ada <ada@example.org>', algorithm = 'ed25519', expires = 'never') {
  const repo = await newRepo(ada);
  const { program, gpg, exported } = await newGpg();
  await gpg('--quick-gen-key', userId, algorithm, 'sign,cert', expires);
  const [, fingerprint = ''] = /^fpr:+([0-9A-F]{40}):/m.exec(await gpg('--list-keys', '--with-colons')) ?? [];
  const signer = await clone(w, repo, byGpg(program, `${fingerprint}!`));
  const addKey = async () => {
    const { status, body } = await client.post('/user/gpg_keys', { armored_public_key: await exported(fingerprint) });
    expect(status).toBe(201);
    return body.id;
  };
  return { repo, signer, gpg, program, fingerprint, addKey, exported, base: `/repos/ada/${repo.name}` };
}

const verificationOf = async (base: string, oid: string) => (await client.get(`${base}/commits/${oid}`)).body.commit.verification;
const reasonOf = async (base: string, oid: string): Promise<string> => (await verificationOf(base, oid)).reason;

describe.skipIf(!hasGpg)('with GnuPG (skipped where it is not installed)', () => {
  test.each([['ed25519'], ['nistp256'], ['rsa2048'], ['dsa2048']])(
    'commits and tags that git signs by a key of %s are verified',
    async (algorithm) => {
      const { signer, base, addKey } = await signing('Ada <ada@example.org>', algorithm);
      const oid = await signer.commit();
      const tag = await signer.tag('v1');
      await signer.push('HEAD:refs/heads/main', 'v1');
      expect(await reasonOf(base, oid)).toBe('unknown_key');
      await addKey();
      const valid = { verified: true, reason: 'valid', verified_at: '2026-01-01T00:00:00Z' };
      expect(await verificationOf(base, oid)).toMatchObject(valid);
      expect((await client.get(`${base}/git/tags/${tag}`)).body.verification).toMatchObject(valid);
    },
  );

  test('what was verified at the push stays so without its key, and takes no process to show', async () => {
    const { signer, base, addKey } = await signing();
    const id = await addKey();
    const oids: string[] = [];
    for (let count = 0; count < 5; count++) oids.push(await signer.commit());
    await signer.push('HEAD:refs/heads/main');
    await settle();
    expect((await client.delete(`/user/gpg_keys/${id}`)).status).toBe(204);
    expect(await gitProcesses(ada, `${base}/commits`)).not.toContain('gpg');
    expect(await statements(ada, `${base}/commits?per_page=1`)).toBe(await statements(ada, `${base}/commits`));
    for (const oid of oids) expect(await reasonOf(base, oid)).toBe('valid');
  });

  test('one process judges all that wasn’t judged before, and bad signatures are judged once', async () => {
    const { repo, signer, base, addKey } = await signing();
    const first = await signer.commit();
    for (let count = 0; count < 9; count++) await signer.commit();
    await signer.push('HEAD:refs/heads/main');
    await settle();
    await addKey();
    const gitRepository = diskOf(w, repo);
    await using reader = await openObjects(gitRepository);
    const { signature = '', committer } = await reader.getCommit(first);
    let tip = (await client.get(`${base}/commits/main`)).body.sha;
    await db.deleteFrom('verified_signatures').where('repository_id', '=', repo.id).execute();
    for (let count = 0; count < 3; count++)
      tip = await addCommit(gitRepository, { files: { [`${count}`]: 'x' }, parents: [tip], committer, signature });
    await client.post(`${base}/git/refs`, { ref: 'refs/heads/topic', sha: tip });
    expect((await gitProcesses(ada, `${base}/commits?sha=topic`)).filter((name) => name === 'gpg')).toHaveLength(1);
    expect(await gitProcesses(ada, `${base}/commits?sha=topic`)).not.toContain('gpg');
    const { body } = await client.get(`${base}/commits?sha=topic`);
    const reasons = body.map(({ commit }: { commit: { verification: { reason: string } } }) => commit.verification.reason);
    expect(reasons).toEqual([...Array(3).fill('invalid'), ...Array(10).fill('valid')]);
  });

  test('the address must be one of the key’s, too', async () => {
    const { signer, base, addKey } = await signing('Ada <countess@example.org>');
    await addKey();
    const oid = await signer.commit();
    await signer.push('HEAD:refs/heads/main');
    expect(await reasonOf(base, oid)).toBe('bad_email');
  });

  test('a key that has expired, is revoked, or isn’t for signatures verifies nothing new', async () => {
    const { signer, base, addKey, fingerprint } = await signing('Ada <ada@example.org>', 'ed25519', '2y');
    await addKey();
    const oid = await signer.commit();
    await signer.push('HEAD:refs/heads/main');
    const set = (columns: object) => db.updateTable('gpg_keys').set(columns).where('fingerprint', '=', fingerprint).execute();
    await set({ can_sign: false });
    expect(await reasonOf(base, oid)).toBe('not_signing_key');
    await set({ can_sign: true, revoked: true });
    expect(await reasonOf(base, oid)).toBe('invalid');
    await set({ revoked: false, expires_at: new Date('2025-12-31T23:59:59Z') });
    expect(await reasonOf(base, oid)).toBe('expired_key');
    await set({ expires_at: new Date('2026-01-01T00:00:01Z') });
    expect(await reasonOf(base, oid)).toBe('valid');
  });

  test('a subkey that its key doesn’t bind signs nothing, though it is among the user’s keys', async () => {
    const { signer, base, fingerprint, exported } = await signing();
    const other = await newGpg();
    await other.gpg('--quick-gen-key', 'Ada <ada@example.org>', 'ed25519', 'cert', 'never');
    const oid = await signer.commit();
    await signer.push('HEAD:refs/heads/main');
    const made = await client.post('/user/gpg_keys', { armored_public_key: await other.exported('ada@example.org') });
    const part = parseOpenPgpKey(await exported(fingerprint)).primary;
    await sql`insert into gpg_keys (user_id, primary_key_id, key_id, fingerprint, public_key, can_sign, can_encrypt_comms,
      can_encrypt_storage, can_certify, revoked, created_at)
      values (${ada.id}, ${made.body.id}, ${part.keyId}, ${part.fingerprint},
      ${part.publicKey}, true, false, false, false, false, now())`.execute(db);
    expect(await reasonOf(base, oid)).toBe('unknown_key');
  });

  test('several signatures in one, or one of a key that another account has, verify nothing', async () => {
    const { repo, signer, base, exported, fingerprint } = await signing();
    const stranger = await as(await user());
    await stranger.post('/user/gpg_keys', { armored_public_key: await exported(fingerprint) });
    const oid = await signer.commit();
    await signer.push('HEAD:refs/heads/main');
    expect(await reasonOf(base, oid)).toBe('bad_email');
    await using reader = await openObjects(diskOf(w, repo));
    const { signature = '', committer } = await reader.getCommit(oid);
    const twice = await addCommit(diskOf(w, repo), {
      files: {},
      parents: [oid],
      committer,
      signature: `${signature}\n${signature}`,
    });
    expect(await reasonOf(base, twice)).toBe('malformed_signature');
  });

  const signedCommit = async (
    userId?: string,
  ): Promise<{ commit: Commit; key: { armored: string; fingerprint: string; primary: string } }> => {
    const { repo, signer, exported, fingerprint } = await signing(userId);
    const oid = await signer.commit();
    await signer.push('HEAD:refs/heads/main');
    await using reader = await openObjects(diskOf(w, repo));
    return {
      commit: await reader.getCommit(oid),
      key: { armored: await exported(fingerprint), fingerprint, primary: fingerprint },
    };
  };
  const checkOf = ({ commit, key }: Awaited<ReturnType<typeof signedCommit>>) => {
    const signature = parseOpenPgpSignature(commit.signature ?? '');
    if (!signature || !commit.payload) throw new Error('the commit is not signed');
    return { signature, payload: commit.payload, key };
  };

  test('where GnuPG isn’t installed, the outcome says so; where it fails, that', async () => {
    const check = checkOf(await signedCommit());
    const bin = join(await scratch(), 'bin');
    await mkdir(bin);
    await using without = await openGitStore({ root: await scratch(), env: { PATH: bin } });
    expect(await verifyOpenPgp(without, [check])).toEqual(['gpgverify_unavailable']);
    await using slow = await openGitStore({ root: await scratch(), env: process.env, limits: { commandTime: 1 } });
    expect(await verifyOpenPgp(slow, [check])).toEqual(['gpgverify_error']);
  });

  test('each signature counts for itself, also beside copies of its key that lack something', async () => {
    const [one, other] = [checkOf(await signedCommit()), checkOf(await signedCommit())];
    const store = w.hearth.services.git;
    const bad = { ...one, payload: Buffer.from('something else') };
    const swapped = { ...one, key: other.key };
    expect(await verifyOpenPgp(store, [bad, one, other, bad, swapped, one])).toEqual([
      ...['invalid', 'valid', 'valid', 'invalid', 'invalid', 'valid'],
    ]);
    expect(await verifyOpenPgp(store, [swapped])).toEqual(['unknown_key']);
    expect(await verifyOpenPgp(store, [])).toEqual([]);
  });

  test('a key that would be used slowly, or is damaged, verifies nothing, though it was added before such keys were refused', async () => {
    const check = checkOf(await signedCommit());
    const packets = readPackets(dearmor(check.key.armored));
    const withSubkey = (subkey: Packet) => ({ ...check, key: { ...check.key, armored: armored([...packets, subkey]) } });
    const slow = withSubkey(rsaPacket(16_384, 16_384, 14));
    const damaged = withSubkey({ tag: 14, body: Buffer.from([4, 0]) });
    const usual = withSubkey(rsaPacket(4_096, 17, 14));
    expect(await verifyOpenPgp(w.hearth.services.git, [slow])).toEqual(['unknown_key']);
    expect(await verifyOpenPgp(w.hearth.services.git, [damaged])).toEqual(['unknown_key']);
    expect(await verifyOpenPgp(w.hearth.services.git, [usual])).toEqual(['valid']);
  });

  test('a key at which gpg fails takes no others along, and is not tried again soon', async () => {
    const [good, bad] = [checkOf(await signedCommit()), checkOf(await signedCommit('Eve <makes-gpg-fail@example.org>'))];
    const [bin, log] = [join(await scratch(), 'bin'), join(await scratch(), 'log')];
    await mkdir(bin);
    const script = `#!/bin/sh
PATH="\${PATH#*:}"
echo run >> '${log}'
for one in "$@"; do case "$one" in */keyring) grep -qa makes-gpg-fail "$one" && exit 134; esac; done
exec gpg "$@"
`;
    await writeFile(join(bin, 'gpg'), script, { mode: 0o755 });
    await using store = await openGitStore({
      root: await scratch(),
      env: { ...process.env, PATH: `${bin}:${process.env.PATH}` },
    });
    const runs = async () => (await readFile(log, 'utf8')).split('\n').length - 1;
    expect(await verifyOpenPgp(store, [bad, good])).toEqual(['gpgverify_error', 'valid']);
    expect(await runs()).toBe(3);
    expect(await verifyOpenPgp(store, [bad, good])).toEqual(['gpgverify_error', 'valid']);
    expect(await runs()).toBe(4);
  });
});
