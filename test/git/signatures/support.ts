import { execFile } from 'node:child_process';
import { createHash, type KeyObject, sign } from 'node:crypto';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { scratch } from '#test/git/support.ts';

const run = promisify(execFile);

/** A field of the SSH protocol. */
export function field(content: Buffer | string): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(Buffer.byteLength(content));
  return Buffer.concat([length, Buffer.from(content)]);
}

/** The armor of an SSH signature around bytes. */
export const armored = (bytes: Buffer): string =>
  ['-----BEGIN SSH SIGNATURE-----', ...(bytes.toString('base64').match(/.{1,70}/g) ?? []), '-----END SSH SIGNATURE-----'].join(
    '\n',
  );

type Made = {
  /** The public key, as the SSH protocol sends it. */
  key: Buffer;
  algorithm: string;
  /** Makes the value of the signature, and what stands behind it, of the bytes to sign. */
  make(signed: Buffer): { value: Buffer; device?: Buffer };
  namespace?: string;
  hash?: string;
  version?: number;
};

/** An SSH signature of bytes, by parts that may be wrong. */
export function sshSignature(
  payload: Buffer,
  { key, algorithm, make, namespace = 'git', hash = 'sha512', version = 1 }: Made,
): string {
  const digest = createHash(hash === 'sha256' ? 'sha256' : 'sha512')
    .update(payload)
    .digest();
  const parts = [field(namespace), field(''), field(hash)];
  const { value, device = Buffer.alloc(0) } = make(Buffer.concat([Buffer.from('SSHSIG'), ...parts, field(digest)]));
  const signature = field(Buffer.concat([field(algorithm), field(value), device]));
  return armored(Buffer.concat([Buffer.from('SSHSIG'), Buffer.from([0, 0, 0, version]), field(key), ...parts, signature]));
}

/** How an Ed25519 key signs. */
export const byEd25519 = (privateKey: KeyObject) => (signed: Buffer) => ({ value: sign(null, signed, privateKey) });

/** The public part of an Ed25519 key, as the SSH protocol sends it. */
export const ed25519Blob = (publicKey: KeyObject, type = 'ssh-ed25519'): Buffer =>
  Buffer.concat([field(type), field(Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url'))]);

export type SshKeyFiles = { file: string; line: string };

/** A key of OpenSSH's own making. */
export async function sshKeygen(type: string, ...more: string[]): Promise<SshKeyFiles> {
  const file = join(await scratch(), 'key');
  await run('ssh-keygen', ['-q', '-t', type, ...more, '-N', '', '-C', 'ada@laptop', '-f', file]);
  return { file, line: (await readFile(`${file}.pub`, 'utf8')).trim() };
}

/** The signature of bytes that `ssh-keygen -Y sign` makes. */
export async function sshSign({ file }: SshKeyFiles, payload: Buffer, namespace = 'git', ...more: string[]): Promise<string> {
  const path = join(await scratch(), 'payload');
  await writeFile(path, payload);
  await run('ssh-keygen', ['-q', '-Y', 'sign', '-f', file, '-n', namespace, ...more, path]);
  return readFile(`${path}.sig`, 'utf8');
}

/** Whether GnuPG is installed here. Tests that need it are skipped, and say so, where it isn't. */
export const hasGpg = await run('gpg', ['--version']).then(
  () => true,
  () => false,
);

export type Gpg = { program: string; gpg(...args: string[]): Promise<string>; exported(id: string): Promise<string> };

/** A home of GnuPG without keys, and a program that uses it, which git can be told to sign by. */
export async function newGpg(): Promise<Gpg> {
  const folder = await scratch();
  const home = join(folder, 'home');
  await mkdir(home, { mode: 0o700 });
  const program = join(folder, 'gpg');
  await writeFile(
    program,
    `#!/bin/sh\nGNUPGHOME='${home}' exec gpg --batch --quiet --pinentry-mode loopback --passphrase '' "$@"\n`,
  );
  await chmod(program, 0o755);
  const gpg = async (...args: string[]) => (await run(program, args)).stdout;
  // It starts an agent, which would outlive the test.
  onTestFinished(async () => void (await run('gpgconf', ['--homedir', home, '--kill', 'all'])));
  return { program, gpg, exported: (id) => gpg('--armor', '--export', id) };
}
