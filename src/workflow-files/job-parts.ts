// Values of a job's parts: where it runs, and the environment that it enters.
import { type Json, textOf } from './expressions.ts';
import { findPart, type Token } from './token.ts';

/** What `runs-on` asks for: a label, a list of them, or a group with or without labels. */
export function runsOnOf(value: Json): { labels: string[]; group: string | null } {
  if (typeof value === 'string') return { labels: [value], group: null };
  if (Array.isArray(value)) return { labels: value.map(textOf), group: null };
  const { group, labels = [] } = (value ?? {}) as { group?: string; labels?: Json };
  return { labels: runsOnOf(labels).labels, group: group ?? null };
}

/** What names an environment. Its address may name outputs of steps, which the runner knows alone: it is evaluated there. */
export const nameOfEnvironment = (token: Token | undefined): Token | undefined =>
  token?.kind === 'mapping' ? findPart(token, 'name') : token;

export const environmentOf = (name: Json): { readonly name: string } | null =>
  textOf(name) === '' ? null : { name: textOf(name) };
