import sodium from 'libsodium-wrappers';

/** A pair of X25519 keys. */
export type BoxKeys = { publicKey: Buffer; privateKey: Buffer };

/** Makes a key pair for libsodium's sealed boxes: anybody can encrypt with the public key, and only the private key decrypts. */
export async function newBoxKeys(): Promise<BoxKeys> {
  await sodium.ready;
  const { publicKey, privateKey } = sodium.crypto_box_keypair();
  return { publicKey: Buffer.from(publicKey), privateKey: Buffer.from(privateKey) };
}

/** Decrypts a libsodium sealed box; undefined where it was made for another key or isn't one. */
export async function openSealedBox(box: Buffer, keys: BoxKeys): Promise<Buffer | undefined> {
  await sodium.ready;
  if (box.length < sodium.crypto_box_SEALBYTES) return undefined;
  try {
    return Buffer.from(sodium.crypto_box_seal_open(box, keys.publicKey, keys.privateKey));
  } catch {
    return undefined; // libsodium throws for a box that doesn't open, which is all that can go wrong here
  }
}
