/** A pair of X25519 keys. */
type BoxKeys = { publicKey: Buffer; privateKey: Buffer };

/** Few installations have sealed boxes, and the library takes 7 MB, so it is loaded for the first one. */
async function loadSodium(): Promise<typeof import('libsodium-wrappers')['default']> {
  const { default: sodium } = await import('libsodium-wrappers');
  await sodium.ready;
  return sodium;
}

/** Makes a key pair for libsodium's sealed boxes: anybody can encrypt with the public key, and only the private key decrypts. */
export async function newBoxKeys(): Promise<BoxKeys> {
  const sodium = await loadSodium();
  const { publicKey, privateKey } = sodium.crypto_box_keypair();
  return { publicKey: Buffer.from(publicKey), privateKey: Buffer.from(privateKey) };
}

/** Decrypts a libsodium sealed box; undefined if it was made for another key or isn't a sealed box. */
export async function openSealedBox(box: Buffer, keys: BoxKeys): Promise<Buffer | undefined> {
  const sodium = await loadSodium();
  if (box.length < sodium.crypto_box_SEALBYTES) return undefined;
  try {
    return Buffer.from(sodium.crypto_box_seal_open(box, keys.publicKey, keys.privateKey));
  } catch {
    return undefined; // libsodium throws if a box doesn't open, and nothing else can fail here
  }
}
