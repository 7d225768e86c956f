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
  /** The armoured signature, and the bytes that it signs. */
  signature?: string;
  payload?: string;
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
  payload?: string;
};

/**
 * Pushed commits can have messages of any length and any number of parents. Messages and parents are cut to these bounds, and
 * signatures of larger objects are omitted, so that the size of a list of commits is bounded.
 */
const maxMessageSize = 64 * 1024;
const maxParents = 1_000;
const maxSignedSize = 1024 * 1024;

/** A message, cut to `maxMessageSize` bytes at the end of a UTF-8 character. */
function messageOf(message: Buffer): Buffer {
  if (message.length <= maxMessageSize) return message;
  let end = maxMessageSize;
  while (end > maxMessageSize - 4 && ((message[end] ?? 0) & 0xc0) === 0x80) end--;
  return message.subarray(0, end);
}

type Header = { key: string; value: string; start: number; end: number };
type Parts = { headers: Header[]; message: Buffer };

/** Splits an object into its header lines (continued lines joined) and its message. */
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

/** A decoder for the object's `encoding` header; UTF-8 where it is missing or unknown. */
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
  const signed = data.length > maxSignedSize ? undefined : headers.find(({ key }) => key === 'gpgsig');
  return {
    oid,
    tree,
    parents,
    author: parseIdentity(decode(value('author') ?? '')),
    committer: parseIdentity(decode(value('committer') ?? '')),
    message: decode(messageOf(message).toString('latin1')),
    ...(signed && {
      signature: decode(signed.value),
      payload: Buffer.concat([data.subarray(0, signed.start), data.subarray(signed.end)]).toString('utf8'),
    }),
  };
}

const signatureStart = /^-----BEGIN (?:PGP SIGNATURE|SSH SIGNATURE|PGP MESSAGE|SIGNED MESSAGE)-----$/m;

/** Parses a tag object, whose signature is at the end of its message. @throws GitError `invalid` */
export function parseTag(oid: Oid, data: Buffer): Tag {
  const { headers, message } = splitObject(data);
  const decode = decoderOf(headers);
  const value = (key: string) => headers.find((header) => header.key === key)?.value;
  const target = value('object') ?? '';
  if (!isOid(target)) throw new GitError('invalid', 'Not a tag', oid);
  const isWhole = data.length <= maxSignedSize;
  const text = decode((isWhole ? message : messageOf(message)).toString('latin1'));
  const signed = isWhole ? signatureStart.exec(text)?.index : undefined;
  const tagger = value('tagger');
  return {
    oid,
    target,
    targetType: value('type') ?? '',
    name: decode(value('tag') ?? ''),
    ...(tagger !== undefined && { tagger: parseIdentity(decode(tagger)) }),
    message: text,
    ...(signed !== undefined && {
      signature: text.slice(signed),
      payload: data.subarray(0, data.length - message.length).toString('utf8') + text.slice(0, signed),
    }),
  };
}
