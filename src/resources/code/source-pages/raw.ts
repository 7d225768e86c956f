import { posix } from 'node:path';
import { type Raw, raw } from '#endpoint/call.ts';
import { openObjects } from '#git/objects/objects.ts';
import { notFound } from '#lib/refusal.ts';
import { followLink, isFile } from '#resources/code/contents/index.ts';
import { rawContent } from '#resources/code/git-data/index.ts';
import { isBinary, pictureType } from './file-kinds.ts';
import { getEntry, type Location } from './location.ts';

const textType = 'text/plain; charset=utf-8';
const downloadType = 'application/octet-stream';

/** The bytes of the file at a location. Pictures and texts have their own type, and everything else is saved by browsers. */
export async function readRaw(location: Location): Promise<Raw> {
  const { gitRepository, commit } = location;
  await using reader = await openObjects(gitRepository);
  const entry = await getEntry(reader, location);
  const file = entry.mode === '120000' ? await followLink(reader, commit, entry) : entry;
  if (!file || !isFile(file)) throw notFound();
  const body = await rawContent(gitRepository, reader, file);
  const picture = pictureType(file.path);
  const etag = `"${file.oid}"`;
  if (picture !== undefined) return raw(picture, body, { etag });
  // The beginning of a streamed file isn't known here.
  if (Buffer.isBuffer(body) && !isBinary(body)) return raw(textType, body, { etag });
  return raw(downloadType, body, { etag, 'content-disposition': attachmentNamed(posix.basename(file.path)) });
}

/** RFC 6266: a name for old clients, and one with all characters. */
function attachmentNamed(name: string): string {
  const plain = name.replace(/[^\w.+-]/g, '_');
  const whole = encodeURIComponent(name.toWellFormed()).replace(/['()*]/g, escaped);
  return `attachment; filename="${plain}"; filename*=UTF-8''${whole}`;
}

const escaped = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
