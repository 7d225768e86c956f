// Hides the secrets of a job in texts that are shown.

import { unique } from '#lib/collections.ts';
import { fixedValue } from '#lib/limits.ts';
import { runLimits } from '../limits.ts';

export type SecretMask = {
  /**
   * Replaces secrets, and their single lines, by `***`.
   * @param end the text is cut here, in UTF-16 units; a secret that starts before is hidden even if it continues behind
   */
  hide(text: string, end?: number): string;
  /** The characters that the mask keeps in memory. */
  readonly size: number;
};

const maxLines = fixedValue(runLimits.maskedLines);
/** Shorter texts would match everywhere. */
const minLength = 3;
/** Longer lines are searched in pieces, so that a comparison takes a bounded time. */
const maxPiece = 1_024;

/** The mask of these secrets; undefined if they have too many lines. */
export function maskOfSecrets(secrets: Iterable<string>): SecretMask | undefined {
  const lines = new Set<string>();
  for (const secret of secrets) {
    for (const line of linesOf(secret)) lines.add(line);
    if (lines.size > maxLines) return undefined;
  }
  return openMask(unique([...lines].flatMap(piecesOf)).sort());
}

/** The lines of a secret, and the whole secret if some of its lines are too short to be hidden. */
function linesOf(secret: string): string[] {
  const lines = secret.split('\n').map((line) => line.trim());
  const long = lines.filter((line) => line.length >= minLength);
  const whole = secret.trim();
  return long.length === lines.length || whole.length < minLength ? long : [...long, whole];
}

/** Splits a line into equal parts, each long enough to be hidden. */
function piecesOf(line: string): string[] {
  const count = Math.ceil(line.length / maxPiece);
  return Array.from({ length: count }, (_, at) =>
    line.slice(Math.floor((at * line.length) / count), Math.floor(((at + 1) * line.length) / count)),
  );
}

/** @param pieces sorted, without duplicates */
function openMask(pieces: readonly string[]): SecretMask {
  const starts = new Uint8Array(65_536);
  for (const piece of pieces) starts[startOf(piece, 0)] = 1;
  const prefixes = prefixesOf(pieces);

  /** The length of the longest piece at a position; 0 if no piece matches. */
  function lengthAt(text: string, at: number): number {
    const rest = text.slice(at, at + maxPiece);
    let low = 0;
    let high = pieces.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((pieces[middle] as string) <= rest) low = middle + 1;
      else high = middle;
    }
    // The piece before the rest in the order, or a prefix of that piece, is a prefix of the rest.
    for (let found = low - 1; found >= 0; found = prefixes[found] as number) {
      const piece = pieces[found] as string;
      if (rest.startsWith(piece)) return piece.length;
    }
    return 0;
  }

  return {
    size: pieces.reduce((sum, piece) => sum + piece.length, 0),
    hide(text, end = text.length) {
      const last = Math.min(end, text.length);
      let shown = '';
      let hiddenTo = -1;
      for (let at = 0; at < last; at++) {
        if (!starts[startOf(text, at)]) continue;
        const length = lengthAt(text, at);
        if (length === 0) continue;
        // Overlapping or adjacent pieces are shown as one.
        if (at > hiddenTo) shown += `${text.slice(Math.max(hiddenTo, 0), at)}***`;
        hiddenTo = Math.max(hiddenTo, at + length);
      }
      return shown + text.slice(Math.max(hiddenTo, 0), last);
    },
  };
}

/** A hash of the first three characters of a piece. It rules out most positions of a text quickly. */
const startOf = (text: string, at: number): number =>
  ((text.charCodeAt(at) * 31 + text.charCodeAt(at + 1)) * 31 + text.charCodeAt(at + 2)) & 0xff_ff;

/** For each piece, the index of its longest proper prefix among the pieces; -1 if it has no such prefix. */
function prefixesOf(pieces: readonly string[]): Int32Array {
  const prefixes = new Int32Array(pieces.length);
  const open: number[] = [];
  for (const [at, piece] of pieces.entries()) {
    while (open.length > 0 && !piece.startsWith(pieces[open.at(-1) as number] as string)) open.pop();
    prefixes[at] = open.at(-1) ?? -1;
    open.push(at);
  }
  return prefixes;
}
