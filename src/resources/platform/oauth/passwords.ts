import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { invalid } from '#lib/refusal.ts';

const derive = promisify<string, Buffer, number, { N: number; r: number; p: number; maxmem: number }, Buffer>(scrypt);

/** OWASP's parameters for scrypt. One derivation takes about 100 ms and 64 MiB. */
const cost = { N: 2 ** 16, r: 8, p: 1, maxmem: 128 * 1024 * 1024 };
const keyLength = 32;
const minLength = 10;
const maxLength = 1024;

/** Hashes a password for storage: scrypt's parameters, the salt and the key. */
export async function hashPassword(password: string): Promise<string> {
  if (password.length < minLength || password.length > maxLength)
    throw invalid('User', 'password', 'invalid', `A password has ${minLength} to ${maxLength} characters`);
  const salt = randomBytes(16);
  const key = await derive(password.normalize('NFKC'), salt, keyLength, cost);
  return `scrypt$${cost.N}$${cost.r}$${cost.p}$${salt.toString('base64')}$${key.toString('base64')}`;
}

/**
 * Whether a password is the stored one. If none is stored, it takes the same time, so that the time doesn't disclose which logins
 * exist.
 */
export async function verifyPassword(stored: string | null | undefined, password: string): Promise<boolean> {
  const [, N, r, p, salt, key] = (stored ?? '').split('$');
  const known = key === undefined ? undefined : Buffer.from(key, 'base64');
  const parameters = known ? { N: Number(N), r: Number(r), p: Number(p), maxmem: cost.maxmem } : cost;
  // No stored password is longer or empty. Normalizing a long text would block the event loop.
  const candidate = password.length > maxLength ? '' : password;
  const derived = await derive(candidate.normalize('NFKC'), Buffer.from(salt ?? '', 'base64'), keyLength, parameters);
  return known !== undefined && known.length === derived.length && timingSafeEqual(known, derived);
}
