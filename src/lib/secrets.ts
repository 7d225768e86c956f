import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

/**
 * Encrypts what must be readable again (webhook secrets, registry keys) under a key that is kept outside the database
 * (security decision 9). The key itself can't be reached through this.
 */
export type Secrets = {
  /**
   * Encrypts a secret for storing. `context` says where it belongs: its column, as `webhooks.secret`, and the ids that are
   * known at that time. It must be given again to open the secret, so that a value copied to another row doesn't open there.
   */
  seal(secret: string | Buffer, context: string): Buffer;
  /** The bytes that were sealed. @throws Error when the key or the context is another, or a byte was changed. */
  open(sealed: Buffer, context: string): Buffer;
  /** The text that was sealed; throws as `open` does. */
  openText(sealed: Buffer, context: string): string;
};

const algorithm = 'aes-256-gcm';
const keyLength = 32;
const nonceLength = 12;
const tagLength = 16;
/** A sealed value is: format (1 byte), mark of the key, nonce, tag, encrypted bytes. The mark tells by which key it was sealed. */
const format = 1;
const markLength = 4;
const headLength = 1 + markLength + nonceLength + tagLength;

/** Seals and opens with AES-256-GCM. The key has 32 bytes. */
export function secretsUnder(key: Buffer): Secrets {
  if (key.length !== keyLength) throw new Error(`The secret key must have ${keyLength} bytes`);
  const mark = createHash('sha256').update('hearth key mark').update(key).digest().subarray(0, markLength);

  const open = (sealed: Buffer, context: string): Buffer => {
    if (sealed.length < headLength || sealed[0] !== format) throw new Error('This is not a sealed value');
    if (!sealed.subarray(1, 1 + markLength).equals(mark)) throw new Error('A secret was sealed under another secret key');
    const nonce = sealed.subarray(1 + markLength, 1 + markLength + nonceLength);
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
      return Buffer.concat([Buffer.of(format), mark, nonce, cipher.getAuthTag(), bytes]);
    },
    open,
    openText: (sealed, context) => open(sealed, context).toString('utf8'),
  };
}
