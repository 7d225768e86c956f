/** A field of an SSH key: its length, and its bytes. */
const field = (bytes: Buffer): Buffer => Buffer.concat([Buffer.from([0, 0, 0, bytes.length]), bytes]);

/** The line of an Ed25519 key with these 32 bytes. */
export const sshKey = (bytes: Buffer): string =>
  `ssh-ed25519 ${Buffer.concat([field(Buffer.from('ssh-ed25519')), field(bytes)]).toString('base64')}`;
