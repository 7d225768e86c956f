// Messages of the services: Protocol Buffers in their JSON form. Field names have two spellings, and large numbers are strings.
import type { Json } from '#lib/json-reader.ts';
import { badRequest } from '#lib/refusal.ts';

/** Reads the fields of a message. @throws Refusal 400 for a field of another type */
export type Message = {
  /** A text; empty if it is missing. */
  text(name: string): string;
  optionalText(name: string): string | undefined;
  texts(name: string): string[];
  /** An unsigned number. */
  optionalNumber(name: string): number | undefined;
  optionalTime(name: string): Date | undefined;
};

export function readMessage(json: Json | undefined): Message {
  const fields = json?.value ?? {};
  if (typeof fields !== 'object' || Array.isArray(fields)) throw badRequest('The message must be an object');
  if (json?.hasNul) throw badRequest('A text must not hold U+0000');
  const found = (name: string): unknown => {
    const all = fields as Readonly<Record<string, unknown>>;
    return all[name] ?? all[camelCase(name)] ?? undefined;
  };
  const optionalText = (name: string): string | undefined => {
    const value = found(name);
    if (value !== undefined && typeof value !== 'string') throw wrong(name, 'a text');
    return value;
  };
  return {
    text: (name) => optionalText(name) ?? '',
    optionalText,
    texts(name) {
      const value = found(name) ?? [];
      if (!Array.isArray(value) || !value.every((one) => typeof one === 'string')) throw wrong(name, 'a list of texts');
      return value;
    },
    optionalNumber(name) {
      const value = found(name);
      if (value === undefined) return undefined;
      if (!/^\d{1,15}$/.test(String(value))) throw wrong(name, 'a number');
      return Number(value);
    },
    optionalTime(name) {
      const text = optionalText(name);
      const time = text === undefined ? undefined : new Date(text);
      if (time && Number.isNaN(time.getTime())) throw wrong(name, 'a time');
      return time;
    },
  };
}

const camelCase = (name: string): string => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

const wrong = (name: string, what: string) => badRequest(`${name} must be ${what}`);
