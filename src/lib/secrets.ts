import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto';

/**
 * Encrypts and decrypts secrets that must be readable again (webhook secrets, registry keys) with a key that is stored outside
 * the database (security decision 9). It doesn't expose the key.
 */
export type Secrets = {
  /**
   * Encrypts a secret for storage. `context` is its column, such as `webhooks.secret`, with the ids known at that time.
   * Decryption needs the same context, so a value that is copied to another row can't be decrypted there.
   */
  seal(secret: string | Buffer, context: string): Buffer;
  /** The bytes that were sealed. @throws Error if the key or the context differs, or a byte was changed. */
  open(sealed: Buffer, context: string): Buffer;
  /** The text that was sealed. It throws like `open`. */
  openText(sealed: Buffer, context: string): string;
  /** 32 bytes that identify equal secrets of a context. Without the key, they don't reveal a secret. */
  digest(secret: string, context: string): Buffer;
};

const algorithm = 'aes-256-gcm';
const keyLength = 32;
const nonceLength = 12;
const tagLength = 16;
/**
 * A sealed value consists of: format (1 byte), id of the key, nonce, tag, encrypted bytes. The id is a part of a hash of the key.
 */
const format = 1;
const keyIdLength = 4;
const headLength = 1 + keyIdLength + nonceLength + tagLength;

const keyIdOf = (key: Buffer): Buffer =>
  createHash('sha256').update('hearth key mark').update(key).digest().subarray(0, keyIdLength);

/** Identifies a key without revealing it. */
export const keyFingerprint = (key: Buffer): string =>
  `sha256:${createHmac('sha256', key).update('hearth key fingerprint').digest('hex').slice(0, 32)}`;

/** Whether a value was sealed with this key, according to the id in the value. */
export const sealedUnder = (key: Buffer, sealed: Buffer): boolean => sealed.subarray(1, 1 + keyIdLength).equals(keyIdOf(key));

/** Secrets with a key of 32 bytes, encrypted with AES-256-GCM. */
export function openSecrets(key: Buffer): Secrets {
  if (key.length !== keyLength) throw new Error(`The secret key must have ${keyLength} bytes`);
  const keyId = keyIdOf(key);
  const digestKey = createHmac('sha256', key).update('hearth digest').digest();

  const open = (sealed: Buffer, context: string): Buffer => {
    if (sealed.length < headLength || sealed[0] !== format) throw new Error('This is not a sealed value');
    if (!sealed.subarray(1, 1 + keyIdLength).equals(keyId)) throw new Error('A secret was sealed under another secret key');
    const nonce = sealed.subarray(1 + keyIdLength, 1 + keyIdLength + nonceLength);
    const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagLength });
    decipher.setAAD(Buffer.from(context));
    decipher.setAuthTag(sealed.subarray(headLength - tagLength, headLength));
    return Buffer.concat([decipher.update(sealed.subarray(headLength)), decipher.final()]);
  };

  return {
    seal(secret, context) {
      const nonce = randomBytes(nonceLength);
      const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagLength });
      cipher.setAAD(Buffer.from(context));
      const bytes = Buffer.concat([cipher.update(secret), cipher.final()]);
      return Buffer.concat([Buffer.of(format), keyId, nonce, cipher.getAuthTag(), bytes]);
    },
    open,
    openText: (sealed, context) => open(sealed, context).toString('utf8'),
    digest: (secret, context) => createHmac('sha256', digestKey).update(`${context.length}:${context}`).update(secret).digest(),
  };
}
