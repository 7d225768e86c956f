import { invalid } from '#lib/refusal.ts';
import { periodicYield } from '#lib/turns.ts';

/** How many characters are decoded before other requests get a turn. */
const batchSize = 1024 * 1024;

const alphabet = /^[A-Za-z0-9+/]*$/;

/** Encodes a text of a body as UTF-8, in steps between which other requests run. */
export async function utf8Of(text: string): Promise<Buffer> {
  const yieldTurn = periodicYield();
  const bytes = Buffer.allocUnsafe(Buffer.byteLength(text));
  let written = 0;
  for (let at = 0; at < text.length; ) {
    const end = at + batchSize;
    const to = isPairAt(text, end - 1) ? end + 1 : end;
    written += bytes.write(text.slice(at, to), written);
    at = to;
    await yieldTurn();
  }
  return bytes;
}

/** Whether a surrogate pair begins at this index. */
const isPairAt = (text: string, at: number): boolean => (text.codePointAt(at) ?? 0) > 0xffff;

/** Decodes base64 of a body, in steps between which other requests run. White space in it is skipped. */
export async function fromBase64(text: string, { resource, field }: { resource: string; field: string }): Promise<Buffer> {
  const wrong = () => invalid(resource, field, 'invalid', `${field} is not valid Base64`);
  const yieldTurn = periodicYield();
  const end = endOfDigits(text);
  if (end === undefined) throw wrong();
  const bytes = Buffer.allocUnsafe(Math.ceil((end * 3) / 4));
  let written = 0;
  let rest = '';
  for (let at = 0; at < end; at += batchSize) {
    const digits = rest + text.slice(at, Math.min(at + batchSize, end)).replace(/\s+/g, '');
    if (!alphabet.test(digits)) throw wrong();
    const whole = digits.length - (digits.length % 4); // four digits are three bytes
    written += bytes.write(digits.slice(0, whole), written, 'base64');
    rest = digits.slice(whole);
    await yieldTurn();
  }
  if (rest.length === 1) throw wrong();
  written += bytes.write(rest, written, 'base64');
  return bytes.subarray(0, written);
}

/** Where the digits end, before the padding and blanks; undefined if there is more padding than base64 allows. */
function endOfDigits(text: string): number | undefined {
  let end = text.length;
  for (let padding = 0; end > 0; end--) {
    const last = text[end - 1] ?? '';
    if (last === '=') padding++;
    else if (last.trim() !== '') break;
    if (padding > 2) return undefined;
  }
  return end;
}
