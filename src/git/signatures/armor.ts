/** The kinds of signatures that commits and tags have. */
export type SignatureKind = 'ssh' | 'openpgp';

const kinds: readonly (readonly [begin: string, kind: SignatureKind])[] = [
  ['-----BEGIN SSH SIGNATURE-----', 'ssh'],
  ['-----BEGIN PGP SIGNATURE-----', 'openpgp'],
  ['-----BEGIN PGP MESSAGE-----', 'openpgp'],
];

/** The kind of an armored signature, from its first line. Undefined for others, such as S/MIME. */
export const signatureKind = (armored: string): SignatureKind | undefined =>
  kinds.find(([begin]) => armored.startsWith(begin))?.[1];

/** Longer signatures are refused without being read. A signature with an RSA key of 16,384 bits has 6 kB. */
export const maxSignature = 64 * 1024;

/**
 * The bytes between the first and the last line of an armored SSH signature, which must be the entire text. Undefined if it is
 * damaged.
 */
export function dearmorSsh(armored: string): Buffer | undefined {
  if (armored.length > maxSignature) return undefined;
  const lines = armored.trim().split(/\r?\n/);
  if (lines[0] !== '-----BEGIN SSH SIGNATURE-----' || lines.at(-1) !== '-----END SSH SIGNATURE-----') return undefined;
  const encoded = lines.slice(1, -1).join('');
  const bytes = Buffer.from(encoded, 'base64');
  return bytes.toString('base64') === encoded ? bytes : undefined;
}
