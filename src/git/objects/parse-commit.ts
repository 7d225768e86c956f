import { GitError } from '../errors.ts';
import { type Identity, parseIdentity } from './identity.ts';
import { isOid, type Oid } from './oid.ts';

/** A parsed commit object. */
export type Commit = {
  oid: Oid;
  tree: Oid;
  parents: Oid[];
  author: Identity;
  committer: Identity;
  message: string;
  /** The armored signature, and the bytes that it signs. */
  signature?: string;
  payload?: Buffer;
};

/** A parsed tag object. */
export type Tag = {
  oid: Oid;
  target: Oid;
  targetType: string;
  name: string;
  tagger?: Identity;
  message: string;
  signature?: string;
  payload?: Buffer;
};

/**
 * Pushed commits can have messages of any length and any number of parents. Messages and parents are truncated to these limits,
 * and signatures of larger objects are omitted, so that the size of a list of commits is bounded.
 */
const maxMessageSize = 64 * 1024;
const maxParents = 1_000;
const maxSignedSize = 1024 * 1024;

/** A message, truncated to `maxMessageSize` bytes at the end of a UTF-8 character. */
function messageOf(message: Buffer): Buffer {
  if (message.length <= maxMessageSize) return message;
  let end = maxMessageSize;
  while (end > maxMessageSize - 4 && ((message[end] ?? 0) & 0xc0) === 0x80) end--;
  return message.subarray(0, end);
}

type Header = { key: string; value: string; start: number; end: number };
type Parts = { headers: Header[]; message: Buffer };

/** Splits an object into its header lines (with continued lines joined) and its message. */
function splitObject(data: Buffer): Parts {
  const headers: Header[] = [];
  let at = 0;
  while (at < data.length && data[at] !== 10) {
    const newline = data.indexOf(10, at);
    const end = newline < 0 ? data.length : newline;
    const line = data.toString('latin1', at, end);
    const last = headers.at(-1);
    if (line.startsWith(' ') && last) {
      last.value += `\n${line.slice(1)}`;
      last.end = end + 1;
    } else {
      const space = line.indexOf(' ');
      const key = space < 0 ? line : line.slice(0, space);
      headers.push({ key, value: space < 0 ? '' : line.slice(space + 1), start: at, end: end + 1 });
    }
    at = end + 1;
  }
  return { headers, message: data.subarray(Math.min(at + 1, data.length)) };
}

/** A decoder for the object's `encoding` header; UTF-8 if it is missing or unknown. */
function decoderOf(headers: Header[]): (latin1: string) => string {
  const label = headers.find(({ key }) => key === 'encoding')?.value.trim() ?? 'utf-8';
  let decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  try {
    decoder = new TextDecoder(label, { ignoreBOM: true });
  } catch {
    // The encoding is unknown: decodes as UTF-8.
  }
  return (latin1) => decoder.decode(Buffer.from(latin1, 'latin1'));
}

/** Parses a commit object. @throws GitError `invalid` */
export function parseCommit(oid: Oid, data: Buffer): Commit {
  const { headers, message } = splitObject(data);
  const decode = decoderOf(headers);
  const value = (key: string) => headers.find((header) => header.key === key)?.value;
  const tree = value('tree') ?? '';
  const parents = headers
    .filter(({ key }) => key === 'parent')
    .slice(0, maxParents)
    .map((header) => header.value);
  if (!isOid(tree) || !parents.every(isOid)) throw new GitError('invalid', 'Not a commit', oid);
  const signatures = data.length > maxSignedSize ? [] : headers.filter(({ key }) => key === 'gpgsig');
  return {
    oid,
    tree,
    parents,
    author: parseIdentity(decode(value('author') ?? '')),
    committer: parseIdentity(decode(value('committer') ?? '')),
    message: decode(messageOf(message).toString('latin1')),
    ...(signatures.length > 0 && {
      signature: signatures.map(({ value: text }) => textOf(text)).join('\n'),
      payload: unsignedBytes(data, headers),
    }),
  };
}

const textOf = (latin1: string): string => Buffer.from(latin1, 'latin1').toString('utf8');

/**
 * The headers of signatures: Git's own, and the header for repositories with other object names. The signed bytes don't include
 * them.
 */
const signatureHeaders = ['gpgsig', 'gpgsig-sha256'];

/**
 * The bytes of an object without its signature headers, up to `end`. A copy, since objects are read as parts of larger buffers.
 */
function unsignedBytes(data: Buffer, headers: readonly Header[], end = data.length): Buffer {
  const parts: Buffer[] = [];
  let from = 0;
  for (const { key, start, end: next } of headers) {
    if (!signatureHeaders.includes(key)) continue;
    parts.push(data.subarray(from, start));
    from = next;
  }
  parts.push(data.subarray(from, end));
  return Buffer.concat(parts);
}

const signatureStarts = ['PGP SIGNATURE', 'PGP MESSAGE', 'SSH SIGNATURE', 'SIGNED MESSAGE'].map(
  (name) => `-----BEGIN ${name}-----`,
);

/** The offset of a tag's signature in its message: the last line that looks like the first line of a signature, as in Git. */
function findSignature(message: Buffer): number | undefined {
  let end = message.length;
  while (end > 0) {
    const start = message.lastIndexOf('-----BEGIN ', end - 1, 'latin1');
    if (start < 0) return undefined;
    const isAtLine = start === 0 || message[start - 1] === 10;
    const line = message.toString('latin1', start, start + 64);
    if (isAtLine && signatureStarts.some((text) => line.startsWith(text))) return start;
    end = start;
  }
  return undefined;
}

/** Parses a tag object, whose signature is at the end of its message. @throws GitError `invalid` */
export function parseTag(oid: Oid, data: Buffer): Tag {
  const { headers, message } = splitObject(data);
  const decode = decoderOf(headers);
  const value = (key: string) => headers.find((header) => header.key === key)?.value;
  const target = value('object') ?? '';
  if (!isOid(target)) throw new GitError('invalid', 'Not a tag', oid);
  const isWhole = data.length <= maxSignedSize;
  const text = decode((isWhole ? message : messageOf(message)).toString('latin1'));
  const signed = isWhole ? findSignature(message) : undefined;
  const tagger = value('tagger');
  return {
    oid,
    target,
    targetType: value('type') ?? '',
    name: decode(value('tag') ?? ''),
    ...(tagger !== undefined && { tagger: parseIdentity(decode(tagger)) }),
    message: text,
    ...(signed !== undefined && {
      signature: message.toString('utf8', signed),
      payload: unsignedBytes(data, headers, data.length - message.length + signed),
    }),
  };
}
