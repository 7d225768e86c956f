// Bounds how many parts a message in protobuf has. Its library makes an object or a text of each, all in one turn of the event
// loop, and each takes two bytes.
import type { DescMessage } from '@bufbuild/protobuf';
import { badRequest, Refusal } from '#lib/refusal.ts';

/** The parts of a message that are left, and where they may be cut off: before a field of this number. */
type Counting = { left: number; readonly bytes: Uint8Array };

class TooMany extends Error {}

const invalid = () => badRequest('The message is not protobuf');

/**
 * A message with so many fields at most, those of its parts included.
 * @param cutAt the message may be cut off before a field of this number, where one of them was read
 * @throws Refusal 413 for more fields, 400 for what is no message
 */
export function withFewFields(
  bytes: Uint8Array,
  type: DescMessage,
  { most, cutAt }: { most: number; cutAt?: number | undefined },
): Uint8Array {
  const counting: Counting = { left: most, bytes };
  let hasFirst = false;
  let cut: number | undefined;
  try {
    countFields(counting, type, { at: 0, end: bytes.length }, (number, at) => {
      if (number !== cutAt) return;
      if (hasFirst) cut = at;
      hasFirst = true;
    });
  } catch (error) {
    if (!(error instanceof TooMany)) throw error;
    if (cut === undefined) throw new Refusal('too_large', `The message has more than ${most} fields`);
    return bytes.subarray(0, cut);
  }
  return bytes;
}

type Range = { at: number; readonly end: number };

/** Counts the fields of a message within a larger one, and of the messages in it. */
function countFields(
  counting: Counting,
  type: DescMessage | undefined,
  range: Range,
  note?: (number: number, at: number) => void,
): void {
  while (range.at < range.end) {
    const start = range.at;
    const tag = varint(counting, range);
    const number = tag >>> 3;
    note?.(number, start);
    if (counting.left-- <= 0) throw new TooMany();
    skipField(counting, type, { wire: tag & 7, number }, range);
  }
}

function skipField(
  counting: Counting,
  type: DescMessage | undefined,
  { wire, number }: { wire: number; number: number },
  range: Range,
): void {
  if (wire === 0) varint(counting, range);
  else if (wire === 1) range.at += 8;
  else if (wire === 5) range.at += 4;
  else if (wire === 2) {
    const length = varint(counting, range);
    const end = range.at + length;
    if (end > range.end) throw invalid();
    const inner = messageIn(type, number);
    if (inner !== undefined) countFields(counting, inner ?? undefined, { at: range.at, end });
    range.at = end;
  } else throw invalid();
  if (range.at > range.end) throw invalid();
}

/** The type of the message that a field holds; null for an entry of a map, undefined for another field. */
function messageIn(type: DescMessage | undefined, number: number): DescMessage | null | undefined {
  const field = type?.fields.find((one) => one.number === number);
  if (field?.fieldKind === 'map') return null;
  return field?.fieldKind === 'message' || (field?.fieldKind === 'list' && field.listKind === 'message')
    ? field.message
    : undefined;
}

const maxVarint = 10;

/** The lower 32 bits of a number, since nothing longer than a message is counted. */
function varint({ bytes }: Counting, range: Range): number {
  let value = 0;
  for (let part = 0; part < maxVarint; part++) {
    const byte = bytes[range.at++];
    if (byte === undefined || range.at > range.end) throw invalid();
    if (part < 5) value |= (byte & 0x7f) << (7 * part);
    if (byte < 0x80) return value >>> 0;
  }
  throw invalid();
}
