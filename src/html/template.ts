// HTML by tagged templates that escape whatever is inserted.
import { escapeHtml } from '#text/escape-html.ts';

/**
 * HTML that may be inserted as it is. Templates make it, and `trustHtml`, which only the sanitizing Markdown renderer, the
 * highlighter and the icons may call.
 */
export class TrustedHtml {
  readonly #html: string;

  /** Use `html` or `trustHtml`. */
  constructor(html: string) {
    this.#html = html;
  }

  toString(): string {
    return this.#html;
  }
}

/** What a template may insert. Lists are joined; what is absent inserts nothing. */
export type Insertable = TrustedHtml | string | number | false | null | undefined | readonly Insertable[];

/** Declares a text to be safe HTML. `test/html/trusted.test.ts` lists the modules that may call it. */
export const trustHtml = (text: string): TrustedHtml => new TrustedHtml(text);

const empty = new TrustedHtml('');

/**
 * A template of HTML. Values are escaped, except `TrustedHtml`. Attributes need double quotes around values. A value at the
 * beginning of `href`, `src` or `action` must be an address of this server, or of the web: others are left out.
 * @throws Error for a template that inserts a value into a tag without quotes
 *
 * @example html`<a href="${address}">${title}</a>`
 */
export function html(strings: TemplateStringsArray, ...values: readonly Insertable[]): TrustedHtml {
  const contexts = contextsOf(strings);
  let text = strings[0] ?? '';
  for (let index = 0; index < values.length; index++) {
    const value = values[index];
    const context = contexts[index];
    if (context === 'tag' && !isBetweenAttributes(value)) throw new Error('A text was inserted between attributes');
    text += context === 'address' ? insertedAddress(value) : inserted(value);
    text += strings[index + 1] ?? '';
  }
  return new TrustedHtml(text);
}

/** Joins parts with a text or HTML between them. */
export const joined = (parts: readonly Insertable[], separator: Insertable): TrustedHtml =>
  html`${parts.map((part, index) => (index === 0 ? part : [separator, part]))}`;

/** An attribute without a value; nothing if it isn't set. For use between other attributes. */
export const flag = (name: 'disabled' | 'checked' | 'selected' | 'open' | 'hidden', isSet: boolean): TrustedHtml =>
  isSet ? new TrustedHtml(` ${name}`) : empty;

/** An attribute; nothing without a value. For use between other attributes. */
export const attribute = (name: AttributeName, value: string | number | undefined | false): TrustedHtml =>
  value === undefined || value === false ? empty : new TrustedHtml(` ${name}="${escapeHtml(String(value))}"`);

type AttributeName =
  | `aria-${string}`
  | `data-${string}`
  | 'title'
  | 'content'
  | 'id'
  | 'class'
  | 'value'
  | 'minlength'
  | 'lang'
  | 'dir'
  | 'rel'
  | 'open';

function inserted(value: Insertable): string {
  if (typeof value === 'string') return escapeHtml(value);
  if (value instanceof TrustedHtml) return value.toString();
  if (value === undefined || value === null || value === false) return '';
  if (typeof value === 'number') return String(value);
  let text = '';
  for (const one of value) text += inserted(one);
  return text;
}

function insertedAddress(value: Insertable): string {
  const text = inserted(value);
  return isSafeAddress(text) ? text : '#';
}

/** Whether a value may be between attributes: a template, a list of them, or nothing. */
const isBetweenAttributes = (value: Insertable): boolean =>
  value instanceof TrustedHtml || !value || (Array.isArray(value) && value.every(isBetweenAttributes));

/** Whether an address can't run a script: a path, a query, a fragment, or an address with a scheme of the web. */
const isSafeAddress = (address: string): boolean => /^(?:https?:\/\/|mailto:|ssh:\/\/|\/(?![/\\\s])|[#?])/i.test(address);

/**
 * Where a value is inserted: in text or within an attribute, at the beginning of an attribute with an address, or between
 * attributes, where only `TrustedHtml` may be.
 */
type InsertionContext = 'text' | 'address' | 'tag';

const known = new WeakMap<TemplateStringsArray, readonly InsertionContext[]>();

function contextsOf(strings: TemplateStringsArray): readonly InsertionContext[] {
  const before = known.get(strings);
  if (before) return before;
  const contexts = readContexts(strings);
  known.set(strings, contexts);
  return contexts;
}

function readContexts(strings: readonly string[]): InsertionContext[] {
  let state: 'text' | 'tag' | 'value' = 'text';
  return strings.slice(0, -1).map((text): InsertionContext => {
    let beginning = 0;
    for (const { 0: mark, index } of text.matchAll(/[<>"]/g)) {
      if (state === 'value') {
        if (mark === '"') state = 'tag';
      } else if (state === 'tag') {
        if (mark === '"') [state, beginning] = ['value', index + 1];
        if (mark === '>') state = 'text';
      } else if (mark === '<') state = 'tag';
    }
    if (state === 'tag' && /[='][\s']*$/.test(text)) throw new Error(`A value needs double quotes after ${text.slice(-40)}`);
    if (state !== 'value') return state;
    const isStart = beginning > 0 && beginning === text.length;
    return isStart && /\b(?:href|src|action|formaction|poster|cite)="$/i.test(text) ? 'address' : 'text';
  });
}
