import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { invalid } from '#lib/refusal.ts';

const derive = promisify<string, Buffer, number, { N: number; r: number; p: number; maxmem: number }, Buffer>(scrypt);

/** OWASP's parameters for scrypt. A try takes some 100 ms and 64 MiB. */
const cost = { N: 2 ** 16, r: 8, p: 1, maxmem: 128 * 1024 * 1024 };
const length = 32;
const shortest = 10;
const longest = 1024;

/** What is stored of a password: its parameters, salt and key. */
export async function hashPassword(password: string): Promise<string> {
  if (password.length < shortest || password.length > longest)
    throw invalid('User', 'password', 'invalid', `A password has ${shortest} to ${longest} characters`);
  const salt = randomBytes(16);
  const key = await derive(password.normalize('NFKC'), salt, length, cost);
  return `scrypt$${cost.N}$${cost.r}$${cost.p}$${salt.toString('base64')}$${key.toString('base64')}`;
}

/** Whether a password is the stored one. Where none is stored, it takes as long, so that the time doesn't tell which logins exist. */
export async function isPassword(stored: string | null | undefined, password: string): Promise<boolean> {
  const [, N, r, p, salt, key] = (stored ?? '').split('$');
  const known = key === undefined ? undefined : Buffer.from(key, 'base64');
  const parameters = known ? { N: Number(N), r: Number(r), p: Number(p), maxmem: cost.maxmem } : cost;
  // No stored password is longer, nor empty. To normalize a long text would keep the event loop busy.
  const tried = password.length > longest ? '' : password;
  const found = await derive(tried.normalize('NFKC'), Buffer.from(salt ?? '', 'base64'), length, parameters);
  return known !== undefined && known.length === found.length && timingSafeEqual(known, found);
}
