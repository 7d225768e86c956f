// Colours of terminals in a line of text, as spans with classes.
import { html, type TrustedHtml } from '#html/template.ts';

type Style = {
  readonly isBold: boolean;
  readonly isDim: boolean;
  readonly isItalic: boolean;
  readonly isUnderlined: boolean;
  /** The number of a colour of terminals, from 0 to 15. */
  readonly color: number | undefined;
  readonly background: number | undefined;
};

const plain: Style = {
  isBold: false,
  isDim: false,
  isItalic: false,
  isUnderlined: false,
  color: undefined,
  background: undefined,
};

/** Sequences that select colours, other sequences of control, titles and links of terminals, and single escapes. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape starts these sequences
const sequence = /\x1b(?:\[([0-9;:]*)m|\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\^_]?)/g;

/** The HTML of a line. Everything that isn't a colour is text, or left out if it controls a terminal. */
export function ansiHtml(text: string): TrustedHtml {
  if (!text.includes('\x1b')) return html`${text}`;
  const parts: TrustedHtml[] = [];
  let style = plain;
  let end = 0;
  const add = (part: string): void => {
    if (part !== '') parts.push(styled(part, style));
  };
  for (const found of text.matchAll(sequence)) {
    add(text.slice(end, found.index));
    end = found.index + found[0].length;
    if (found[1] !== undefined) style = changed(style, found[1]);
  }
  add(text.slice(end));
  return html`${parts}`;
}

/** A line without colours. */
export const withoutAnsi = (text: string): string => (text.includes('\x1b') ? text.replace(sequence, '') : text);

function styled(text: string, { isBold, isDim, isItalic, isUnderlined, color, background }: Style): TrustedHtml {
  const names = [
    isBold ? 'b' : '',
    isDim ? 'd' : '',
    isItalic ? 'i' : '',
    isUnderlined ? 'u' : '',
    color === undefined ? '' : `f${color}`,
    background === undefined ? '' : `g${background}`,
  ].filter((name) => name !== '');
  return names.length === 0 ? html`${text}` : html`<span class="${names.join(' ')}">${text}</span>`;
}

function changed(given: Style, codes: string): Style {
  let style = given;
  const numbers = codes.split(/[;:]/).map(Number);
  for (let at = 0; at < numbers.length; at++) {
    const code = numbers[at] ?? 0;
    if (code === 38 || code === 48) {
      const color = numbers[at + 1] === 5 ? indexed(numbers[at + 2]) : nearest(numbers[at + 2], numbers[at + 3], numbers[at + 4]);
      at += numbers[at + 1] === 5 ? 2 : 4;
      style = { ...style, [code === 38 ? 'color' : 'background']: color };
    } else style = changedBy(style, code);
  }
  return style;
}

function changedBy(style: Style, code: number): Style {
  if (code === 0) return plain;
  if (code === 1) return { ...style, isBold: true };
  if (code === 2) return { ...style, isDim: true };
  if (code === 3) return { ...style, isItalic: true };
  if (code === 4) return { ...style, isUnderlined: true };
  if (code === 22) return { ...style, isBold: false, isDim: false };
  if (code === 23) return { ...style, isItalic: false };
  if (code === 24) return { ...style, isUnderlined: false };
  if (code >= 30 && code <= 37) return { ...style, color: code - 30 };
  if (code === 39) return { ...style, color: undefined };
  if (code >= 40 && code <= 47) return { ...style, background: code - 40 };
  if (code === 49) return { ...style, background: undefined };
  if (code >= 90 && code <= 97) return { ...style, color: code - 82 };
  if (code >= 100 && code <= 107) return { ...style, background: code - 92 };
  return style;
}

/** One of the 256 colours of terminals: 16 named ones, a cube, and shades of grey. */
function indexed(index = 0): number | undefined {
  if (!(index >= 0 && index <= 255)) return undefined;
  if (index < 16) return index;
  if (index >= 232) return nearest((index - 232) * 10 + 8, (index - 232) * 10 + 8, (index - 232) * 10 + 8);
  const at = index - 16;
  return nearest(Math.floor(at / 36) * 51, (Math.floor(at / 6) % 6) * 51, (at % 6) * 51);
}

/** The named colour that is closest to a mixed one: only these have values for light and dark. */
function nearest(red = 0, green = 0, blue = 0): number {
  const most = Math.max(red, green, blue);
  const isOn = (value: number): boolean => value > most / 2 && most > 60;
  const hue = (isOn(red) ? 1 : 0) + (isOn(green) ? 2 : 0) + (isOn(blue) ? 4 : 0);
  return most > 190 ? hue + 8 : hue;
}
